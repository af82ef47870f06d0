import Foundation
import HTTPClient
import Messages
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Several edges", .serialized)
    struct EdgeTests {
        private static let limit = 60
        private static let limits = ["TOLLGATE_LIMITS": "on", "TOLLGATE_LIMIT_DEVICE": String(limit)]

        @Test("Two edges keep one limit; without the registry, or any inner service, they serve what they can know")
        func edges() async throws {
            let installation = try await Installation.start()
            await installation.stop(.attestGateway, SIGTERM)
            try await installation.start(.attestGateway, Self.limits)
            try await installation.waitUntilReady(.attestGateway)
            let second = try await installation.startEdge(Self.limits)

            let isKnown = await eventually {
                let first = try? await installation.number("tollgate_edges", of: .attestGateway)
                return [first, try? await second.number("tollgate_edges")] == [2, 2]
            }
            #expect(isKnown)
            try await expectOneLimit(at: [installation.edgePort, second.port], installation)
            try await expectNothingLost(at: second, installation)
            await second.stop(SIGTERM)
            try await expectDegradedStart(installation)
            await installation.tearDown()
        }

        /// How a device's writes come to two edges; what they let through in some seconds is the limit within a quarter.
        private func expectOneLimit(at ports: [Int], _ installation: Installation) async throws {
            let splits: [(name: String, edge: @Sendable (Int) -> Int)] = [
                ("one", { _ in 0 }), ("both", { $0 % 2 }), ("moving", { $0 / 40 % 2 }),
            ]
            let admitted = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                for (name, edge) in splits {
                    group.addTask { (name, try await Self.admitted(name, edge, at: ports, installation)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for (name, count) in admitted {
                #expect((Self.limit * 3 / 4...Self.limit * 5 / 4).contains(count), "\(name): \(count)")
            }
        }

        /// How many of 150 writes of a device are let through, in five seconds or more.
        private static func admitted(
            _ device: String, _ edge: @Sendable (Int) -> Int, at ports: [Int], _ installation: Installation
        ) async throws -> Int {
            let body = #"{"appUserId":"\#(device)","bundleId":"\#(Installation.app)","installId":"\#(device)"}"#
            var admitted = 0
            for number in 0..<150 {
                let response = try await installation.send(body, to: "identify", at: ports[edge(number)])
                switch response.status {
                case 200: admitted += 1
                case 429: #expect(Int(response.header("Retry-After") ?? "") ?? 0 >= 1)
                default: Issue.record("\(response.status) \(response.text)")
                }
                // The time is what is waited for: edges tell each other once a second.
                try await Task.sleep(for: .milliseconds(30))
            }
            return admitted
        }

        /// Nobody there but the broker and one edge: what is written is answered 200, and applied when they are back.
        private func expectNothingLost(at edge: EdgeProcess, _ installation: Installation) async throws {
            let services = Installation.services
            // It holds its queue, and answers nothing.
            installation.signal(.paywallExperiments, SIGSTOP)
            try await expectEmptyPaywall(at: edge, installation)
            installation.signal(.paywallExperiments, SIGCONT)
            for service in services { await installation.stop(service) }
            try await expectEmptyPaywall(at: edge, installation)

            for (route, body) in [
                ("identify", #"{"appUserId":"late","bundleId":"\#(Installation.app)"}"#),
                ("attribute", #"{"appUserId":"late","bundleId":"\#(Installation.app)","originalTransactionId":"1"}"#),
                (
                    "attribute",
                    #"{"appUserId":"late","bundleId":"\#(Installation.app)","originalTransactionId":"1","jws":"e30.e30.c2ln"}"#
                ),
                (
                    "paywall/impression",
                    #"{"bundleId":"\#(Installation.app)","installId":"i","experimentId":"e","renderedSkus":[]}"#
                ),
                (
                    "events",
                    #"{"bundleId":"\#(Installation.app)","events":[{"name":"opened","appUserId":"late","id":"1"}]}"#
                ),
            ] {
                #expect(try await installation.send(body, to: route, at: edge.port).status == 200)
            }
            #expect(try await installation.send("", to: "attest/challenge", at: edge.port).status == 200)
            #expect(try await installation.look(for: "late", at: edge.port) == 503)

            for service in services { try await installation.start(service, Self.limits) }
            for service in services { try await installation.waitUntilReady(service) }
            let isThere = await eventually { (try? await installation.look(for: "late", at: edge.port)) == 200 }
            #expect(isThere)
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
        }

        /// Within 60 ms the app knows that it has to show its own list: once at least, on a machine as busy as this may be.
        private func expectEmptyPaywall(at edge: EdgeProcess, _ installation: Installation) async throws {
            let clock = ContinuousClock()
            var shortest = Duration.seconds(60)
            for number in 0..<20 where shortest >= .milliseconds(60) {
                let start = clock.now
                let response = try await installation.send(
                    #"{"bundleId":"\#(Installation.app)","installId":"i-\#(number)","appUserId":"late","entitlement":"pro"}"#,
                    to: "paywall", at: edge.port)
                shortest = min(shortest, start.duration(to: clock.now))
                #expect(response.status == 200)
                #expect(response.text == #"{"skus":[]}"#)
            }
            #expect(shortest < .milliseconds(60))
        }

        /// An edge that was there before starts while the registry is away.
        private func expectDegradedStart(_ installation: Installation) async throws {
            await installation.stop(.attestGateway)
            let clock = ContinuousClock()
            let start = clock.now
            let edge = try await installation.startEdge(Self.limits)

            // Two seconds are the registry's; that it took no longer than needed is not for a busy machine to say.
            #expect(start.duration(to: clock.now) >= .seconds(2))
            let readiness = try await edge.readiness()
            #expect(readiness.status == 200)
            let members = try JSONSerialization.jsonObject(with: Data(readiness.body)) as? [String: Any]
            #expect(members?["degraded"] as? String == "registry_snapshot_stale", "\(readiness.text)")
            #expect(members?["ready"] as? Bool == true)

            func identify(_ app: String) async throws -> HTTPResponse {
                try await installation.send(
                    #"{"appUserId":"late","bundleId":"\#(app)"}"#, to: "identify", at: edge.port)
            }
            #expect(try await identify(Installation.app).status == 200)
            let unknown = try await identify("com.example.nobody")
            #expect(unknown.status == 503)
            #expect(unknown.errorCode == "registry_unavailable")
            // The key is known, and who is asked is there.
            #expect(try await installation.look(for: "late", at: edge.port) == 200)

            try await installation.start(.attestGateway, Self.limits)
            let isFresh = await eventually(within: .seconds(20)) {
                (try? await edge.readiness().text.contains("degraded")) == false
            }
            #expect(isFresh)
            let dropped = try await identify("com.example.nobody")
            #expect(dropped.text.contains("bundle_unresolved"))
            await edge.stop(SIGTERM)
        }
    }
}

extension Installation {
    /// How the edge at `port` answers a server that asks for a user.
    fileprivate func look(for user: String, at port: Int) async throws -> Int {
        try await http.send(
            HTTPRequest(
                method: "GET", url: "http://127.0.0.1:\(port)/api/v1/apps/\(Self.app)/users/\(user)",
                headers: ["Authorization": "Bearer \(key)"], timeout: .seconds(15))
        ).status
    }
}
