import Foundation
import HTTPClient
import Messages
import StoreSimulator
import TestSupport
import Testing

extension EndToEnd {
    /// One request under one `Idempotency-Key`, at one edge with a device's token and at another without: as when the token
    /// ran out between two tries, or came.
    @Suite("A token that comes or goes between two tries", .serialized)
    struct TokenBetweenTriesTests {
        private struct Tries {
            let installation: Installation
            let ports: [Int]
            let token: String

            /// At an edge each, so that neither knows of the other.
            func send(_ body: String, to route: String, attestedFirst: Bool) async throws {
                let key = UUID().uuidString
                for port in ports {
                    let isAttested = (port == ports[0]) == attestedFirst
                    var headers = ["Content-Type": "application/json", "Idempotency-Key": key]
                    headers["Authorization"] = isAttested ? "Bearer \(token)" : nil
                    let response = try await installation.http.send(
                        HTTPRequest(
                            method: "POST", url: "http://127.0.0.1:\(port)/api/sdk/v1/\(route)", headers: headers,
                            body: Array(body.utf8), timeout: .seconds(15)))
                    #expect(response.status == 200, "\(route): \(response.text)")
                }
            }
        }

        @Test("Whatever is said is applied, and nothing ends as a dead letter; the better word counts")
        func whole() async throws {
            let installation = try await Installation.start()
            try await installation.allowDevices()
            let experiment = try await Self.experiment(in: installation)
            let second = try await installation.startEdge()
            let phone = try installation.newPhone()
            let challenge = try await installation.challenge(at: installation.edgePort)
            let proof = try installation.attestation(of: phone, for: challenge)
            let token = try await installation.send(proof, to: "attest", at: installation.edgePort)
                .text(of: "deviceToken")
            let tries = Tries(
                installation: installation, ports: [installation.edgePort, second.port], token: token)

            let app = #""bundleId":"\#(Installation.app)""#
            let load = try PurchaseLoad(2, seed: 91, signedBy: installation.authority)
            for (user, purchase) in zip(["loser", "finder"], load.purchases) {
                // The one loses his token, the other finds it.
                let attestedFirst = user == "loser"
                let isAssigned = try await eventually {
                    try await ExperimentTests.offer(user, of: "i-\(user)", in: installation).contains("variantKey")
                }
                #expect(isAssigned)
                try await tries.send(
                    #"{\#(app),"appUserId":"\#(user)","attributes":{"plan":"pro"}}"#, to: "identify",
                    attestedFirst: attestedFirst)
                try await tries.send(
                    #"{\#(app),"appUserId":"\#(user)","originalTransactionId":"raw-\#(user)"}"#, to: "attribute",
                    attestedFirst: attestedFirst)
                try await tries.send(purchase.body, to: "attribute", attestedFirst: attestedFirst)
                try await tries.send(
                    #"{\#(app),"installId":"i-\#(user)","experimentId":"\#(experiment)","renderedSkus":[]}"#,
                    to: "paywall/impression", attestedFirst: attestedFirst)
                try await tries.send(
                    #"{\#(app),"events":[{"name":"seen","appUserId":"\#(user)"},{"name":"seen","appUserId":"\#(user)"}]}"#,
                    to: "events", attestedFirst: attestedFirst)
            }

            let reconciled = try await installation.tool(["reconcile", "--wait", "60"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            let dead = try await installation.succeed("dead", "list", "--json")
            #expect(!dead.output.contains("id_reused"), "\(dead.output)")
            for purchase in load.purchases {
                let isHis = await eventually {
                    (try? await installation.entitlement(of: purchase.user))??.active == true
                }
                #expect(isHis)
            }
            let seen = await eventually { (try? await SignpostTests.events(in: installation).count) == 4 }
            #expect(seen, "each of two, of two users, once")
            #expect(try await SignpostTests.events(in: installation).allSatisfy { $0.trust == .attested })
            for user in ["loser", "finder"] {
                let history = try await installation.succeed(
                    "links", "history", "--app", Installation.app, "raw-\(user)", "--json")
                let chain = try JSONDecoder().decode(ChainHistoryView.self, from: Data(history.output.utf8))
                #expect(chain.link?.user.rawValue == user && chain.link?.rank == .attested)
            }
            let results = try await installation.succeed(
                "experiments", "results", "--app", Installation.app, experiment, "--json")
            let counted = try JSONDecoder().decode(ExperimentTests.Results.self, from: Data(results.output.utf8))
            #expect(counted.variants.map(\.exposed).reduce(0, +) == 2)
            await second.stop(SIGTERM)
            await installation.tearDown()
        }

        private static func experiment(in installation: Installation) async throws -> String {
            struct Created: Decodable { var id: String }
            try await installation.succeed("paywalls", "set", "--app", Installation.app, "pro", "plain")
            let created = try await installation.succeed(
                "experiments", "create", "--app", Installation.app, "pro", "--name", "Two tries", "--arm", "control=1",
                "--arm", "b=1", "--skus", "b=b.annual", "--json")
            let id = try JSONDecoder().decode(Created.self, from: Data(created.output.utf8)).id
            try await installation.succeed("experiments", "start", "--app", Installation.app, id)
            return id
        }
    }
}
