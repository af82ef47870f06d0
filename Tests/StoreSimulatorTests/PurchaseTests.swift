import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Simulated purchases")
struct PurchaseTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let day: TimeInterval = 86_400

    @Test("The same seed sells the same, another one nothing in common")
    func seeds() {
        func ids(seed: UInt32) -> [String?] {
            var store = SimulatedStore(bundleID: "com.example.app", seed: seed)
            return (0..<100).flatMap { _ in
                var purchase = store.buy(.subscription("pro"), at: Self.now)
                return [purchase.latest.transactionID, purchase.renew()?.transactionID]
            }
        }

        #expect(ids(seed: 7) == ids(seed: 7))
        #expect(Set(ids(seed: 7)).count == 200)
        #expect(Set(ids(seed: 7)).isDisjoint(with: ids(seed: 8)))
        #expect(Set(ids(seed: .max)).count == 200)
    }

    @Test("A subscription renews at the end of its period, under its first transaction")
    func renewal() throws {
        var store = SimulatedStore(bundleID: "com.example.app")
        var purchase = store.buy(.subscription("pro", period: .seconds(7 * 86_400)), at: Self.now)
        let first = purchase.latest

        let renewed = purchase.renew()

        let second = try #require(renewed)

        #expect(first.transactionID == first.originalTransactionID)
        #expect(first.expiresDate == Self.now + 7 * Self.day)
        #expect(second.originalTransactionID == first.transactionID)
        #expect(second.transactionID != first.transactionID)
        #expect(second.purchaseDate == first.expiresDate)
        #expect(second.expiresDate == Self.now + 14 * Self.day)
        #expect(second.originalPurchaseDate == Self.now)
        #expect(purchase.renewal?.renewalDate == second.expiresDate)
        #expect(purchase.transactions.count == 2)
    }

    @Test("A subscription that was switched off does not renew, until it is switched on again")
    func switchedOff() {
        var store = SimulatedStore(bundleID: "com.example.app")
        var purchase = store.buy(.subscription("pro"), at: Self.now)

        let renewal = purchase.setAutoRenew(false, at: Self.now + Self.day)

        #expect(renewal?.autoRenewStatus == 0)
        #expect(renewal?.signedDate == Self.now + Self.day)
        #expect(purchase.renew() == nil)
        _ = purchase.setAutoRenew(true, at: Self.now + 2 * Self.day)
        #expect(purchase.renew() != nil)
    }

    @Test("A refund is the same transaction, revoked and signed later; the next period is not revoked")
    func refund() throws {
        var store = SimulatedStore(bundleID: "com.example.app")
        var purchase = store.buy(.subscription("pro"), at: Self.now)
        let id = purchase.latest.transactionID

        let refunded = purchase.refund(at: Self.now + Self.day, reason: 1)

        #expect(refunded.transactionID == id)
        #expect(refunded.revocationDate == Self.now + Self.day)
        #expect(refunded.revocationReason == 1)
        #expect(refunded.signedDate == Self.now + Self.day)
        #expect(purchase.renew()?.revocationDate == nil)
        #expect(purchase.transactions[0] == refunded)
    }

    @Test(
        "What is bought once has no end and nothing to renew",
        arguments: [StoreProduct.nonConsumable("unlock"), .consumable("gem")])
    func once(product: StoreProduct) {
        var store = SimulatedStore(bundleID: "com.example.app")
        var purchase = store.buy(
            product, at: Self.now, quantity: 3, appAccountToken: "1F0E7AAC-2C0E-4B1B-9E53-6C1F00B0A001")

        #expect(purchase.latest.expiresDate == nil)
        #expect(purchase.latest.quantity == 3)
        #expect(purchase.latest.type == product.type)
        #expect(purchase.latest.appAccountToken == "1F0E7AAC-2C0E-4B1B-9E53-6C1F00B0A001")
        #expect(purchase.renewal == nil)
        #expect(purchase.renew() == nil)
    }

    @Test("Asked for later, the store signs the same transaction with a later date")
    func signedAgain() {
        var store = SimulatedStore(bundleID: "com.example.app")
        var purchase = store.buy(.nonConsumable("unlock"), at: Self.now)
        var expected = purchase.latest
        expected.signedDate = Self.now + Self.day

        #expect(purchase.signAgain(at: Self.now + Self.day) == expected)
    }
}
