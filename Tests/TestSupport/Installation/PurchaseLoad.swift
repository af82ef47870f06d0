import Foundation
import HTTPClient
import StoreArtifacts
package import StoreSimulator

/// Purchases of as many users, sent as phones would: again and again until they are answered 200.
package struct PurchaseLoad: Sendable {
    package struct Purchase: Sendable {
        package let user: String
        package let original: String
        package let jws: String

        package var body: String {
            #"{"appUserId":"\#(user)","bundleId":"\#(Installation.app)","originalTransactionId":"\#(original)","jws":"\#(jws)"}"#
        }
    }

    package let purchases: [Purchase]

    /// Signed beforehand; stores of different seeds have no transaction in common.
    package init(_ count: Int, seed: UInt32, signedBy authority: TestAuthority) throws {
        var store = SimulatedStore(bundleID: Installation.app, environment: .production, seed: seed)
        let now = Date()
        purchases = try (0..<count).map { index in
            let purchase = store.buy(Installation.product, at: now)
            return Purchase(
                user: "user-\(seed)-\(index)", original: purchase.latest.originalTransactionID ?? "",
                jws: try authority.signTransaction(purchase.latest))
        }
    }

    /// Sends all of them, `width` at a time.
    ///
    /// - Parameter accepted: called after each 200.
    /// - Returns: how often a request was not answered 200 and sent again.
    @discardableResult
    package func send(
        to installation: Installation, width: Int = 16, within limit: Duration = .seconds(90),
        accepted: @escaping @Sendable () -> Void = {}
    ) async throws -> Int {
        let deadline = ContinuousClock.now + limit
        return try await withThrowingTaskGroup(of: Int.self) { group in
            var repeats = 0
            for (index, purchase) in purchases.enumerated() {
                if index >= width { repeats += try await group.next() ?? 0 }
                group.addTask {
                    let repeats = try await accept(purchase, at: installation, until: deadline)
                    accepted()
                    return repeats
                }
            }
            for try await more in group { repeats += more }
            return repeats
        }
    }

    private func accept(_ purchase: Purchase, at installation: Installation, until deadline: ContinuousClock.Instant)
        async throws -> Int
    {
        var repeats = 0
        while true {
            let status = try? await installation.post("attribute", purchase.body).status
            if status == 200 { return repeats }
            guard status == nil || status == 503 else {
                throw TestFailure("attribute was answered \(status ?? 0)")
            }
            guard ContinuousClock.now < deadline else {
                throw TestFailure("\(purchase.user) was not accepted in time")
            }
            repeats += 1
            // As a phone does: it asks again, for nobody calls it.
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
