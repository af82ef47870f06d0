import AttestGateway
import ServiceKit
import Testing

@Suite("Settings of attest-gateway")
struct SettingsTests {
    private func settings(_ environment: [String: String] = [:]) throws -> AttestGatewaySettings {
        try AttestGatewaySettings(
            from: Settings(environment: ["TOLLGATE_STORE": "/tmp"].merging(environment) { $1 }))
    }

    @Test("The defaults suit a laptop: both roles, on the loopback address")
    func defaults() throws {
        let settings = try settings()

        #expect(settings.roles == [.edge, .registry])
        #expect(settings.address == "127.0.0.1")
        #expect(settings.port == 8080)
    }

    @Test(
        "Roles can be split",
        arguments: [("edge", [AttestGatewaySettings.Role.edge]), ("registry, edge", [.edge, .registry])])
    func roles(text: String, expected: [AttestGatewaySettings.Role]) throws {
        #expect(try settings(["TOLLGATE_ROLES": text]).roles == Set(expected))
    }

    @Test(
        "A bad value is named",
        arguments: [
            ("TOLLGATE_ROLES", ""), ("TOLLGATE_ROLES", "edge,cook"), ("TOLLGATE_HTTP_PORT", "65536"),
            ("TOLLGATE_LIMITS", "false"), ("TOLLGATE_LIMIT_DEVICE", "0"), ("TOLLGATE_PROXIES", "10.0.0.0/8,x"),
            ("TOLLGATE_PUBLISH_DEADLINE", "800"), ("TOLLGATE_PARTITIONS", "2"),
        ])
    func bad(name: String, value: String) {
        #expect(performing: { try settings([name: value]) }, throws: { ($0 as? SettingsError)?.name == name })
    }

    @Test("Every setting is in the help, once")
    func catalogue() {
        let names = AttestGatewaySettings.catalogue.map(\.name)

        #expect(Set(names).count == names.count)
        #expect(names.contains("TOLLGATE_PROXIES"))
    }
}
