import Foundation
import HTTPClient
import JSON
import Messages
import StoreArtifacts
import StoreSimulator
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Why", .serialized)
    struct WhyTests {
        @Test(
            "A purchase and its refund are told over HTTP and by the tool, as they were known and as they are known now"
        )
        func refund() async throws {
            let installation = try await Installation.start(partitions: 4)
            var store = SimulatedStore(bundleID: Installation.app, environment: .production, seed: 61)
            var purchase = store.buy(Installation.product, at: Date() - 3600)
            let user = "zoë/42%"
            try await installation.attribute(purchase.latest, to: user)
            let isActive = await eventually { (try? await installation.why(user))?["state"]?["active"] == true }
            #expect(isActive)
            let then = Timestamp.now.rfc3339
            try await installation.attribute(purchase.refund(at: Date()), to: user)
            let isOver = await eventually { (try? await installation.why(user))?["state"]?["active"] == false }
            #expect(isOver)

            let now = try await installation.why(user)
            let effects = now["timeline"]?.array?.compactMap { $0["effect"]?.string }.filter { $0 != "none" }
            #expect(effects == ["began", "ended"])
            // Both sides have told: the effect, and the artifact that it came from.
            let ended = now["timeline"]?.array?.first { $0["effect"] == "ended" }
            #expect(ended?["artifact"]?.string?.count == 64)
            #expect(now["state"]?["reason"] == "refunded")
            let before = try await installation.why(user, "?at=\(then)&known_at=\(then)")
            #expect(before["state"]?["active"] == true)

            let page = try await installation.succeed(
                "users", "why", "--app", Installation.app, user, Installation.entitlement)
            #expect(page.output.contains("NOT ACTIVE") && page.output.contains("active from here on"))
            let known = try await installation.succeed(
                "users", "why", "--app", Installation.app, user, Installation.entitlement, "--at", then, "--known-at",
                then)
            #expect(known.output.contains("  ACTIVE since"))
            await installation.tearDown()
        }
    }
}

extension Installation {
    fileprivate func attribute(_ transaction: TransactionPayload, to user: String) async throws {
        let original = transaction.originalTransactionID ?? ""
        let jws = try authority.signTransaction(transaction)
        let response = try await post(
            "attribute",
            #"{"appUserId":"\#(user)","bundleId":"\#(Self.app)","originalTransactionId":"\#(original)","jws":"\#(jws)"}"#
        )
        #expect(response.status == 200)
    }

    fileprivate func why(_ user: String, _ query: String = "") async throws -> JSONValue {
        let name = try #require(user.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let response = try await get(
            "/api/v1/apps/\(Self.app)/users/\(name)/entitlements/\(Self.entitlement)/why\(query)")
        guard response.status == 200 else { throw TestFailure("why: \(response.status) \(response.text)") }
        return try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
    }
}

extension JSONValue {
    fileprivate var array: [JSONValue]? {
        guard case .array(let values) = self else { return nil }
        return values
    }

    fileprivate var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}
