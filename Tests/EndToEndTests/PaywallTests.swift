import Foundation
import HTTPClient
import Messages
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Paywalls and experiments", .serialized)
    struct PaywallTests {
        private struct Offer: Decodable, Hashable {
            struct SKU: Decodable, Hashable { let productId: String }
            let skus: [SKU]
            let experimentId: String?
            let variantKey: String?
            let forced: Bool?
            let ttlSeconds: Int?
        }

        /// Until there is an offer: a loaded machine may take longer than phones are made to wait.
        private static func offer(
            _ install: Int, as user: String = "anna", more: String = "", in installation: Installation
        ) async throws -> Offer {
            var offer = try await fetch(install, as: user, more: more, in: installation)
            _ = try await eventually {
                offer = try await fetch(install, as: user, more: more, in: installation)
                return !offer.skus.isEmpty
            }
            return offer
        }

        private static func fetch(
            _ install: Int, as user: String = "anna", more: String = "", in installation: Installation
        ) async throws -> Offer {
            let response = try await installation.post(
                "paywall",
                #"{"bundleId":"\#(Installation.app)","installId":"i-\#(install)","appUserId":"\#(user)","#
                    + #""entitlement":"pro"\#(more)}"#)
            guard response.status == 200 else { throw TestFailure("\(response.status): \(response.text)") }
            return try JSONDecoder().decode(Offer.self, from: Data(response.body))
        }

        @Test("An experiment from its draft to its end: nobody moves, not when the service is killed on the way")
        func whole() async throws {
            let installation = try await Installation.start(partitions: 4)
            #expect(try await Self.fetch(0, in: installation).skus.isEmpty)
            try await installation.succeed("paywalls", "set", "--app", Installation.app, "pro", "plain")
            let plain = await eventually {
                (try? await Self.fetch(0, in: installation).skus.map(\.productId)) == ["plain"]
            }
            #expect(plain)

            let ids = try await Self.drafts(2, in: installation)
            // Two operators at once: one of them is told no.
            async let one = installation.tool(["experiments", "start", "--app", Installation.app, ids[0]])
            async let other = installation.tool(["experiments", "start", "--app", Installation.app, ids[1]])
            let starts = try await [one, other]
            #expect(starts.map(\.status).sorted() == [0, 1])
            #expect(starts.contains { $0.errors.contains("another_running") })
            let id = starts[0].status == 0 ? ids[0] : ids[1]

            var assigned: [Int: Offer] = [:]
            for install in 0..<20 {
                if install == 10 {
                    await installation.stop(.paywallExperiments)
                    // Safe to fail: the app shows its own list.
                    #expect(try await Self.fetch(10, in: installation).skus.isEmpty)
                    try await installation.start(.paywallExperiments)
                    try await installation.waitUntilReady(.paywallExperiments)
                }
                let hasVariant = await eventually {
                    guard let offer = try? await Self.fetch(install, in: installation), offer.variantKey != nil else {
                        return false
                    }
                    return true
                }
                #expect(hasVariant)
                assigned[install] = try await Self.offer(install, in: installation)
            }
            #expect(Set(assigned.values.compactMap(\.variantKey)) == ["control", "b"])
            #expect(assigned.values.allSatisfy { $0.experimentId == id && $0.ttlSeconds == 900 })

            try await installation.succeed(
                "experiments", "change", "--app", Installation.app, id, "--expect", "2", "--arm", "control=1", "--arm",
                "c=1", "--skus", "c=c.annual")
            let stale = try await installation.tool([
                "experiments", "change", "--app", Installation.app, id, "--expect", "2", "--coverage", "1",
            ])
            #expect(stale.status == 1 && stale.errors.contains("version_changed"))
            for install in 0..<20 {
                #expect(try await Self.offer(install, as: "otto", in: installation) == assigned[install])
            }
            for install in 0..<4 {
                try await installation.succeed("experiments", "assign", "--app", Installation.app, id, "i-\(install)")
            }
            let forced = try await Self.offer(
                900, more: #","environment":"Sandbox","forceVariant":"b""#, in: installation)
            #expect(forced.forced == true && forced.variantKey == "b")

            try await installation.succeed("experiments", "stop", "--app", Installation.app, id)
            let isOver = await eventually {
                guard let offer = try? await Self.fetch(1, in: installation) else { return false }
                return offer.variantKey == nil && offer.skus.map(\.productId) == ["plain"]
            }
            #expect(isOver)
            let reconciled = try await installation.tool(["reconcile", "--wait", "60"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            await installation.tearDown()
        }

        private static func drafts(_ count: Int, in installation: Installation) async throws -> [String] {
            struct Created: Decodable { let id: String }
            var ids: [String] = []
            for number in 0..<count {
                let output = try await installation.succeed(
                    "experiments", "create", "--app", Installation.app, "pro", "--name", "Draft \(number)", "--arm",
                    "control=1", "--arm", "b=1", "--skus", "b=b.annual,plain", "--json")
                ids.append(try JSONDecoder().decode(Created.self, from: Data(output.output.utf8)).id)
            }
            return ids
        }
    }
}
