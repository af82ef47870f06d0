import AttestGateway
import HTTP
import HTTPClient
import Messages
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("The client's address")
struct ClientAddressTests {
    private func client(_ peer: String, forwarded: [String] = [], proxies: [String] = ["10.0.0.0/8", "fd00::/8"])
        -> String
    {
        var headers = HTTPHeaders()
        for value in forwarded { headers.add("X-Forwarded-For", value) }
        return ClientAddresses(proxies: proxies.compactMap { IPNetwork($0) }).client(
            of: HTTP.Request(headers: headers, peer: PeerAddress(host: peer, port: 1)))
    }

    @Test("A peer that is no proxy is the client, whatever it claims")
    func direct() {
        #expect(client("192.0.2.1", forwarded: ["1.2.3.4"]) == "192.0.2.1")
        #expect(client("192.0.2.1", forwarded: ["1.2.3.4"], proxies: []) == "192.0.2.1")
    }

    @Test("Behind proxies it is the last address that no proxy has")
    func proxied() {
        #expect(client("10.0.0.1", forwarded: ["6.6.6.6, 192.0.2.7"]) == "192.0.2.7")
        #expect(client("10.0.0.1", forwarded: ["6.6.6.6, 192.0.2.7, 10.1.1.1"]) == "192.0.2.7")
        #expect(client("10.0.0.1", forwarded: ["6.6.6.6", "192.0.2.7"]) == "192.0.2.7")
        #expect(client("10.0.0.1", forwarded: ["192.0.2.7:4711"]) == "192.0.2.7")
    }

    @Test(
        "What cannot be read ends the list: the last hop stands",
        arguments: ["", "unknown", "6.6.6.6, nonsense", "::::"])
    func garbage(header: String) {
        #expect(client("10.0.0.1", forwarded: [header]) == "10.0.0.1")
    }

    @Test("A list of proxies alone gives the first of them")
    func proxiesOnly() {
        #expect(client("10.0.0.1", forwarded: ["10.0.0.3, 10.0.0.2"]) == "10.0.0.3")
    }

    @Test("Addresses of one IPv6 network of 64 bits count as one client")
    func ipv6() {
        #expect(client("2001:db8:1:2::1") == client("2001:db8:1:2:ffff::9"))
        #expect(client("2001:db8:1:2::1") != client("2001:db8:1:3::1"))
        #expect(client("fd00::1", forwarded: ["[2001:db8:1:2::5]:443"]) == client("2001:db8:1:2::1"))
        #expect(
            client("10.0.0.1", forwarded: ["::ffff:192.0.2.7"]) == client("10.0.0.1", forwarded: ["::FFFF:192.0.2.7"]))
    }

    @Test("A network holds the addresses that share its bits")
    func networks() throws {
        func holds(_ network: String, _ address: String) throws -> Bool {
            try #require(IPNetwork(network)).contains(try #require(IPAddress(address)))
        }

        #expect(try holds("10.0.0.0/8", "10.255.0.1"))
        #expect(try !holds("10.0.0.0/8", "11.0.0.1"))
        #expect(try holds("192.0.2.128/25", "192.0.2.200"))
        #expect(try !holds("192.0.2.128/25", "192.0.2.127"))
        #expect(try holds("0.0.0.0/0", "8.8.8.8"))
        #expect(try !holds("0.0.0.0/0", "::1"))
        #expect(try holds("::1", "::1"))
        #expect(try holds("10.0.0.1", "::ffff:10.0.0.1"))
    }

    @Test(
        "Other texts are no networks",
        arguments: ["", "10.0.0.0/33", "10.0.0/8", "/8", "10.0.0.0/", "x", "10.0.0.0/-1"])
    func noNetwork(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
