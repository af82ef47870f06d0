import Foundation
import HTTPClient
import Messages
import StoreArtifacts
import StoreSimulator
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Links and their users", .serialized)
    struct LinkTests {
        static let users = ["ann", "ben"]

        /// A purchase in an app of its own, which the authority signs for.
        struct Purchase {
            let app: String
            let original: String
            let jws: String

            init(in app: String, seed: UInt32, signedBy authority: TestAuthority) throws {
                var store = SimulatedStore(bundleID: app, environment: .production, seed: seed)
                let bought = store.buy(Installation.product, at: Date())
                self.app = app
                original = bought.latest.originalTransactionID ?? ""
                jws = try authority.signTransaction(bought.latest)
            }

            func claim(of user: String) -> String {
                #"{"appUserId":"\#(user)","bundleId":"\#(app)","originalTransactionId":"\#(original)","jws":"\#(jws)"}"#
            }
        }

        struct View: Decodable {
            struct Entitlement: Decodable { let active: Bool }

            let entitlements: [Entitlement]
        }

        static func isActive(_ user: String, in app: String, _ installation: Installation) async throws -> Bool? {
            let response = try await installation.get("/api/v1/apps/\(app)/users/\(user)")
            guard response.status == 200 else { return nil }
            return try JSONDecoder().decode(View.self, from: Data(response.body)).entitlements.contains(where: \.active)
        }

        static func history(of purchase: Purchase, _ installation: Installation) async throws -> ChainHistoryView {
            let output = try await installation.succeed(
                "links", "history", purchase.original, "--app", purchase.app, "--json")
            return try MessageJSON.decode(ChainHistoryView.self, from: Array(output.output.utf8))
        }

        @Test("One purchase claimed by two users fifty times at once has one owner, by each policy, and both see it so")
        func atOnce() async throws {
            let installation = try await Installation.start(partitions: 2)
            let root = installation.folder.appendingPathComponent("root.pem").path
            var purchases: [(policy: LinkMovePolicy, purchase: Purchase)] = []
            for (number, policy) in LinkMovePolicy.all.enumerated() {
                let app = "com.example.\(policy.rawValue.replacing("_", with: "-"))"
                try await installation.succeed(
                    "apps", "add", "--app", app, "--test-root", root, "--link-move-policy", policy.rawValue)
                try await installation.succeed(
                    "products", "map", "--app", app, Installation.product.id, Installation.entitlement)
                purchases.append(
                    (policy, try Purchase(in: app, seed: UInt32(50 + number), signedBy: installation.authority)))
            }

            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for (index, purchase) in (0..<50).flatMap({ index in purchases.map { (index, $0.purchase) } }) {
                    group.addTask {
                        try await installation.post("attribute", purchase.claim(of: Self.users[index % 2])).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 200 })
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")

            for (policy, purchase) in purchases {
                let history = try await Self.history(of: purchase, installation)
                #expect(history.claims.count == 50)
                let owner = policy == .move ? history.claims.last?.user : history.claims.first?.user
                #expect(history.link?.user == owner, "\(policy)")
                for user in Self.users {
                    let isOwner = owner?.rawValue == user
                    #expect(
                        try await Self.isActive(user, in: purchase.app, installation) == isOwner, "\(policy): \(user)")
                }
            }
            await installation.tearDown()
        }

        @Test("An operator sees what is contested, undoes it, tells it again, exports a user and forgets him")
        func operators() async throws {
            let installation = try await Installation.start(partitions: 4)
            let app = Installation.app
            let purchase = try Purchase(in: app, seed: 60, signedBy: installation.authority)
            for user in Self.users {
                #expect(try await installation.post("attribute", purchase.claim(of: user)).status == 200)
                _ = await eventually { (try? await Self.isActive(user, in: app, installation)) == true }
            }

            let contested = try await installation.succeed("links", "contested")
            #expect(contested.output.contains("demo/\(purchase.original)  ben has it (verified); ben claimed it"))
            let preview = try await installation.succeed("links", "undo", purchase.original, "--app", app)
            #expect(preview.output.contains("goes from ben to ann, and is pinned there; nothing was changed"))
            try await installation.succeed(
                "links", "undo", purchase.original, "--app", app, "--why", "ticket 7", "--by", "Zoë", "--yes")
            #expect(await eventually { (try? await Self.isActive("ann", in: app, installation)) == true })
            #expect(await eventually { (try? await Self.isActive("ben", in: app, installation)) == false })
            #expect(try await installation.post("attribute", purchase.claim(of: "ben")).status == 200)
            let again = try await installation.succeed("links", "resend")
            #expect(again.output == "2 of 2 links told again\n")

            let export = installation.folder.appendingPathComponent("ann.json")
            try await installation.succeed("users", "export", "ann", "--out", export.path)
            let document = try String(contentsOf: export, encoding: .utf8)
            #expect(document.contains(purchase.original))
            #expect(document.contains(#""artifacts":[{"app":"com.example.tunes""#))
            #expect(!document.contains(#""ben""#))

            let wouldGo = try await installation.succeed("users", "erase", "ann", "--app", app)
            #expect(wouldGo.output.contains("nothing was changed"))
            #expect(try await Self.isActive("ann", in: app, installation) == true)
            let erased = try await installation.succeed("users", "erase", "ann", "--app", app, "--by", "Zoë", "--yes")
            #expect(erased.output.contains("done: nothing from before"))
            #expect(try await Self.isActive("ann", in: app, installation) == nil)
            #expect(try await Self.history(of: purchase, installation).link == nil)
            #expect(try await Self.isActive("ben", in: app, installation) == false)
            let repeated = try await installation.succeed("users", "erase", "ann", "--app", app, "--yes")
            #expect(
                repeated.output.contains("would forget ann: nothing") || repeated.output.contains("nothing names him"))

            // He is himself again by what he says from now on.
            #expect(try await installation.post("attribute", purchase.claim(of: "ann")).status == 200)
            #expect(await eventually { (try? await Self.isActive("ann", in: app, installation)) == true })
            let audit = try await installation.succeed("audit")
            for deed in ["undo_link", "resend_links", "erase_user"] { #expect(audit.output.contains(deed)) }
            #expect(!audit.output.contains("ann"))
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            await installation.tearDown()
        }
    }
}
