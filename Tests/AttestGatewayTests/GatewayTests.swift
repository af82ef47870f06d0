import AttestGateway
import HTTP
import HTTPClient
import Messages
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite("Registry and edge together")
struct GatewayTests {
    /// An edge that follows a registry through a broker in memory.
    private static func with(
        _ body: @Sendable (_ rig: RegistryRig, _ edge: Edge, _ url: String) async throws -> Void
    ) async throws {
        try await RegistryRig.with { rig in
            let folder = TemporaryFolder()
            let settings = try AttestGatewaySettings(
                from: Settings(environment: ["TOLLGATE_STORE": folder.path, "TOLLGATE_LIMITS": "off"]))
            let metrics = MetricsRegistry()
            let requester = Requester(user: BrokerUser(of: .attestGateway), broker: rig.broker)
            let edge = Edge(
                settings, keys: .test(1), broker: rig.broker, publisher: rig.broker.publisher,
                questions: Questions(through: requester), logger: .silent, metrics: metrics)
            let server = try HTTPServer(router: edge.router, logger: .silent, metrics: metrics)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await requester.run() }
                group.addTask { try await edge.follower.run() }
                group.addTask { try await server.run() }
                defer { group.cancelAll() }
                _ = await eventually { edge.registry.standing == .fresh }
                try await body(rig, edge, "http://127.0.0.1:\(server.port)")
            }
        }
    }

    private static func identify(_ url: String, bundle: String) async throws -> HTTPResponse {
        try await HTTPClient().send(
            HTTPRequest(
                method: "POST", url: url + "/api/sdk/v1/identify",
                body: Array(#"{"appUserId":"u","bundleId":"\#(bundle)"}"#.utf8)))
    }

    @Test("As soon as the operator is told that an app is connected, no write of it is dropped any more")
    func connectedThenServed() async throws {
        try await Self.with { rig, _, url in
            for number in 0..<20 {
                let bundle = "com.example.app\(number)"
                let before = try await Self.identify(url, bundle: bundle)
                let put = try await rig.operators.send(AppPut(organisation: "acme", app: AppID(rawValue: bundle)))
                let after = try await Self.identify(url, bundle: bundle)

                #expect(before.text.contains("bundle_unresolved"))
                #expect(put.value != nil)
                #expect(after.status == 200)
                #expect(!after.text.contains("dropped"))
            }
            #expect(rig.broker.waiting(in: "entitlement-resolver.0").count { $0.kind == UserIdentify.kind } == 20)
        }
    }

    @Test("A revoked key is refused as soon as the edge has heard of it; with the resolver away a good one is 503")
    func revocation() async throws {
        try await Self.with { rig, edge, url in
            _ = try await rig.operators.send(AppPut(organisation: "acme", app: "com.example.tunes"))
            _ = try await rig.operators.send(
                KeyAdd(organisation: "acme", id: "server", digest: digest(of: "tk_test"), scope: .read))
            @Sendable func ask() async throws -> HTTPResponse {
                try await HTTPClient().send(
                    HTTPRequest(
                        method: "GET", url: url + "/api/v1/apps/com.example.tunes/users/u",
                        headers: ["Authorization": "Bearer tk_test"]))
            }

            let added = try await ask()
            let revoked = try await rig.operators.send(KeyRevoke(organisation: "acme", id: "server"))
            let version = try #require(revoked.value?.version)
            #expect(await eventually { edge.registry.snapshot?.version == version })
            let refused = try await ask()

            #expect(added.status == 503)
            #expect(added.refusal == ["resolver_unavailable"])
            #expect(refused.status == 401)
            #expect(refused.refusal == ["key_revoked"])
        }
    }

    @Test("When the broker goes and comes back, the edge is stale and then fresh again, by itself")
    func brokerRestart() async throws {
        try await Self.with { rig, edge, url in
            _ = try await rig.operators.send(AppPut(organisation: "acme", app: "com.example.tunes"))
            let before = try await Self.identify(url, bundle: "com.example.tunes")
            rig.broker.goDown()
            #expect(await eventually { edge.registry.standing == .stale })
            let during = try await Self.identify(url, bundle: "com.example.tunes")
            rig.broker.comeUp()
            #expect(await eventually { edge.registry.standing == .fresh })
            let after = try await Self.identify(url, bundle: "com.example.tunes")

            #expect([before, during, after].map(\.status) == [200, 503, 200])
        }
    }
}
