import Foundation
import HTTPClient
import Messages
import StoreSimulator
import TestSupport
import Testing

extension EndToEnd {
    /// From the operator's first word to the results, over HTTP and by the tool alone.
    @Suite("An experiment and what comes of it", .serialized)
    struct ExperimentTests {
        struct Results: Decodable {
            struct Variant: Decodable {
                var assigned: Int
                var exposed: Int
                var converted: Int
            }
            var variants: [Variant]
            var users: Int
            var isTest: Bool
            var decision: String
        }

        static func offer(_ user: String, of install: String, in installation: Installation) async throws -> String {
            let body = """
                {"bundleId":"\(Installation.app)","installId":"\(install)","appUserId":"\(user)","entitlement":"pro"}
                """
            let answer = try await installation.post("paywall", body)
            #expect(answer.status == 200)
            return answer.text
        }

        @Test("Installs that fetch, see and buy are counted for their variants, in whatever partitions they are")
        func whole() async throws {
            let installation = try await Installation.start(partitions: 4)
            try await installation.succeed("paywalls", "set", "--app", Installation.app, "pro", Installation.product.id)
            let created = try await installation.succeed(
                "experiments", "create", "--app", Installation.app, "pro", "--name", "Annual first", "--coverage",
                "100",
                "--arm", "control=1", "--arm", "b=1", "--skus", "b=\(Installation.product.id)", "--json")
            struct Created: Decodable { var id: String }
            let experiment = try JSONDecoder().decode(Created.self, from: Data(created.output.utf8)).id
            try await installation.succeed("experiments", "start", "--app", Installation.app, experiment)
            // Every partition hears of it in its own time.
            let users = (0..<12).map { "user-77-\($0)" }
            for user in users {
                let hasVariant = try await eventually {
                    try await Self.offer("$anon_\(user)", of: "install-\(user)", in: installation).contains(
                        "variantKey")
                }
                #expect(hasVariant)
                let body = """
                    {"bundleId":"\(Installation.app)","installId":"install-\(user)","experimentId":"\(experiment)",
                    "renderedSkus":["\(Installation.product.id)"],"storefront":"USA"}
                    """
                #expect(try await installation.post("paywall/impression", body).status == 200)
                // He logs in after he has seen it.
                _ = try await Self.offer(user, of: "install-\(user)", in: installation)
            }
            let load = try PurchaseLoad(7, seed: 77, signedBy: installation.authority)
            try await load.send(to: installation)

            var seen: Results?
            let haveArrived = try await eventually {
                let text = try await installation.succeed(
                    "experiments", "results", "--app", Installation.app, experiment, "--traffic", "unverified", "--json"
                )
                seen = try JSONDecoder().decode(Results.self, from: Data(text.output.utf8))
                return seen?.variants.map(\.converted).reduce(0, +) == 7
            }
            let results = try #require(seen)

            #expect(haveArrived)
            #expect(results.variants.map(\.assigned).reduce(0, +) == 12)
            #expect(results.variants.map(\.exposed).reduce(0, +) == 12)
            // Each under two names.
            #expect(results.users == 24)
            #expect(results.isTest && results.decision.contains("no exposure is older than the conversion window"))
            try await installation.succeed("reconcile", "--wait", "60")
            await installation.tearDown()
        }
    }
}
