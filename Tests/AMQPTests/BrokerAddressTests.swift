import AMQP
import ServiceKit
import Testing

@Suite("The broker's address")
struct BrokerAddressTests {
    @Test(
        "It is read with its percent-encoding undone",
        arguments: [
            (
                "amqp://user:pass@host:1234/vhost",
                BrokerAddress(host: "host", port: 1234, user: "user", password: Secret("pass"), virtualHost: "vhost")
            ),
            ("amqp://u:p@host", BrokerAddress(host: "host", port: 5672, user: "u", password: Secret("p"))),
            ("amqp://u:p@host/", BrokerAddress(host: "host", port: 5672, user: "u", password: Secret("p"))),
            ("amqp://u:p@host/%2f", BrokerAddress(host: "host", port: 5672, user: "u", password: Secret("p"))),
            (
                "AMQPS://u:p@host",
                BrokerAddress(host: "host", port: 5671, usesTLS: true, user: "u", password: Secret("p"))
            ),
            (
                "amqp://%C3%BC%40:p%3Aw%2F@host/a%2Fb",
                BrokerAddress(host: "host", port: 5672, user: "ü@", password: Secret("p:w/"), virtualHost: "a/b")
            ),
            ("amqp://u:@host", BrokerAddress(host: "host", port: 5672, user: "u", password: Secret(""))),
            (
                "amqp://u:p@[::1]:99/v",
                BrokerAddress(host: "::1", port: 99, user: "u", password: Secret("p"), virtualHost: "v")
            ),
            (
                "amqp://u:p@[fe80::1%25eth0]",
                BrokerAddress(host: "fe80::1%eth0", port: 5672, user: "u", password: Secret("p"))
            ),
        ])
    func readable(text: String, address: BrokerAddress) {
        #expect(BrokerAddress(text) == address)
    }

    @Test(
        "What is no address with a login is refused",
        arguments: [
            "", "amqp://", "host", "http://u:p@host", "amqp://host", "amqp://u@host", "amqp://:p@host", "amqp://u:p@",
            "amqp://u:p@host:0", "amqp://u:p@host:65536", "amqp://u:p@host:x", "amqp://u:p@host:1:2",
            "amqp://u:p@[::1", "amqp://u:p@[::1]x", "amqp://u:%zz@host", "amqp://u:%4@host", "amqp://u:%ff@host",
            "amqp://u:%00@host", "amqp://u:p@host/v?x=1", "amqp://u:p@host/%", "amqp://u:p@[]",
        ])
    func unreadable(text: String) {
        #expect(BrokerAddress(text) == nil)
    }

    @Test("Printing it shows everything but the password")
    func printing() throws {
        let address = try #require(BrokerAddress("amqps://me:geheim@[::1]:99/v"))

        #expect("\(address)" == "amqps://me@[::1]:99/v")
        #expect(!String(reflecting: address).contains("geheim"))
        var dumped = ""
        dump(address, to: &dumped)
        #expect(!dumped.contains("geheim"))
    }

    @Test("A bad address is not shown, for it may hold a good password")
    func badSetting() throws {
        let settings = try Settings(environment: ["TOLLGATE_BROKER": "amqp:/me:geheim@host"])

        let error = #expect(throws: SettingsError.self) { try BrokerSettings(from: settings) }

        #expect(error?.name == "TOLLGATE_BROKER")
        #expect(error.map { "\($0)".contains("geheim") } == false)
    }

    @Test("Settings are read from the environment")
    func settings() throws {
        let settings = try BrokerSettings(
            from: Settings(environment: [
                "TOLLGATE_BROKER": "amqps://me:geheim@host", "TOLLGATE_BROKER_CA": "/ca.pem",
                "TOLLGATE_BROKER_CERTIFICATE": "/me.pem", "TOLLGATE_BROKER_KEY": "/key.pem",
                "TOLLGATE_BROKER_HEARTBEAT": "30s",
            ]))

        #expect(settings.address.user == "me")
        #expect(settings.tls == TLSFiles(authority: "/ca.pem", certificate: "/me.pem", key: "/key.pem"))
        #expect(settings.heartbeat == .seconds(30))
    }

    @Test(
        "A setting that makes no sense is named",
        arguments: [
            ("TOLLGATE_BROKER_HEARTBEAT", "0s"), ("TOLLGATE_BROKER_HEARTBEAT", "1500ms"),
            ("TOLLGATE_BROKER_HEARTBEAT", "11m"), ("TOLLGATE_BROKER_KEY", "/key-without-certificate.pem"),
        ])
    func senselessSetting(name: String, value: String) throws {
        let settings = try Settings(environment: ["TOLLGATE_BROKER": "amqp://u:p@h", name: value])

        let error = #expect(throws: SettingsError.self) { try BrokerSettings(from: settings) }

        #expect(error?.name == name)
    }
}
