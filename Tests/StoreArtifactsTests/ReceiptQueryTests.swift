import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Asking receipts")
struct ReceiptQueryTests {
    static let now = ReceiptSample.now
    static let day: TimeInterval = 86_400

    /// Rows in the order given, and in the opposite one: nothing may hang on it.
    func receipts(_ rows: [ReceiptPurchase]) throws -> [Receipt] {
        let sample = try ReceiptSample()
        return try [rows, rows.reversed()].map { rows in
            try SignedReceipt(
                sample.signed { design in
                    design.changes.isUnsorted = true
                    design.purchases = rows
                }
            ).receipt
        }
    }

    func row(
        _ product: String, _ id: String, from start: TimeInterval, to end: TimeInterval? = nil,
        original: String? = "1", change: (inout ReceiptPurchase) -> Void = { _ in }
    ) -> ReceiptPurchase {
        var row = ReceiptPurchase(of: product, transactionID: id, purchaseDate: Self.now + start)
        row.expiresDate = end.map { Self.now + $0 }
        row.originalTransactionID = original
        change(&row)
        return row
    }

    @Test("The purchases of a product come newest first, cancelled and expired ones included")
    func purchases() throws {
        let rows = [
            row("pro", "1", from: -300, to: -200), row("pro", "3", from: -100, to: 0),
            row("pro", "2", from: -200, to: -100) { $0.cancellationDate = Self.now }, row("gold", "4", from: 0),
        ]
        for receipt in try receipts(rows) {
            #expect(receipt.purchases(ofProductIdentifier: "pro").map(\.transactionID) == ["3", "2", "1"])
            #expect(receipt.containsPurchase(ofProductIdentifier: "pro"))
            #expect(receipt.containsPurchase(ofProductIdentifier: "gold"))
            #expect(!receipt.containsPurchase(ofProductIdentifier: "Pro"))
            #expect(receipt.purchases(ofProductIdentifier: "x").isEmpty)
        }
    }

    @Test("The original transaction of a product is that of its newest purchase, which other products may share")
    func originals() throws {
        let rows = [
            row("pro", "1", from: -300, original: "1"), row("pro", "9", from: -100, original: "9"),
            row("gold", "5", from: -50, original: "9"), row("none", "0", from: 0, original: nil),
        ]
        for receipt in try receipts(rows) {
            #expect(receipt.originalTransactionIdentifier(ofProduct: "pro") == "9")
            #expect(receipt.originalTransactionIdentifier(ofProduct: "gold") == "9")
            #expect(receipt.originalTransactionIdentifier(ofProduct: "none") == nil)
            #expect(receipt.originalTransactionIdentifier(ofProduct: "x") == nil)
        }
    }

    @Test("Subscriptions are the rows with an expiration, whatever their type says")
    func autoRenewable() throws {
        let rows = [
            row("a", "1", from: 0, to: 10) { $0.productType = 0 }, row("b", "2", from: 5) { $0.productType = 3 },
        ]
        for receipt in try receipts(rows) { #expect(receipt.autoRenewablePurchases.map(\.transactionID) == ["1"]) }
    }

    @Test(
        "A period runs from its purchase, or minutes before, up to its expiration, which is not in it",
        arguments: [
            (-301, false), (-300, true), (0, true), (999, true), (999.999, true), (1000, false), (1001, false),
        ])
    func boundaries(second: TimeInterval, isActive: Bool) throws {
        for receipt in try receipts([row("pro", "1", from: 0, to: 1000)]) {
            #expect(receipt.hasActiveAutoRenewableSubscription(of: "pro", at: Self.now + second) == isActive)
            #expect(receipt.activeAutoRenewablePurchases(at: Self.now + second).count == (isActive ? 1 : 0))
            #expect(!receipt.hasActiveAutoRenewableSubscription(of: "gold", at: Self.now + second))
        }
    }

    @Test("A cancelled period does not run; that of the product after an upgrade does")
    func cancelled() throws {
        let rows = [
            row("pro", "1", from: -100, to: 1000) { $0.cancellationDate = Self.now - 10 },
            row("gold", "2", from: -10, to: 2000),
        ]
        for receipt in try receipts(rows) {
            #expect(!receipt.hasActiveAutoRenewableSubscription(of: "pro", at: Self.now))
            #expect(receipt.hasActiveAutoRenewableSubscription(of: "gold", at: Self.now))
            #expect(receipt.activeAutoRenewablePurchases(at: Self.now).map(\.transactionID) == ["2"])
            #expect(receipt.purchases(ofProductIdentifier: "pro").first?.isRefunded == true)
        }
    }

    @Test("A renewal recorded a day ahead runs with the period that it continues, and with nothing else")
    func recordedAhead() throws {
        let running = row("pro", "1", from: -Self.day, to: Self.day)
        let renewal = row("pro", "2", from: Self.day, to: 3 * Self.day)
        let downgrade = row("basic", "3", from: Self.day, to: 3 * Self.day)

        for receipt in try receipts([running, renewal, downgrade]) {
            #expect(receipt.activeAutoRenewablePurchases(at: Self.now).map(\.transactionID) == ["2", "1"])
            #expect(
                receipt.activeAutoRenewableSubscription(of: "pro", at: Self.now)?.expirationDate
                    == Self.now + 3 * Self.day)
            #expect(!receipt.hasActiveAutoRenewableSubscription(of: "basic", at: Self.now))
            #expect(receipt.hasActiveAutoRenewableSubscription(of: "basic", at: Self.now + Self.day))
        }
        for receipt in try receipts([renewal]) {
            #expect(!receipt.hasActiveAutoRenewableSubscription(of: "pro", at: Self.now))
        }
        let gap = row("pro", "2", from: Self.day + 400, to: 3 * Self.day)
        for receipt in try receipts([running, gap]) {
            #expect(receipt.activeAutoRenewablePurchases(at: Self.now).map(\.transactionID) == ["1"])
        }
    }

    @Test("The last purchase of a subscription is the one that ends last")
    func last() throws {
        let rows = [
            row("pro", "1", from: 0, to: 900), row("pro", "2", from: 10, to: 500), row("pro", "3", from: 20),
            row("gold", "4", from: 0, to: 5000),
        ]
        for receipt in try receipts(rows) {
            #expect(receipt.lastAutoRenewableSubscriptionPurchase(of: "pro")?.transactionID == "1")
            #expect(receipt.lastAutoRenewableSubscriptionPurchase(of: "x") == nil)
        }
    }

    @Test("An introductory offer of one product uses up that of its group")
    func introductory() throws {
        let rows = [
            row("pro", "1", from: 0, to: 10) { $0.isTrialPeriod = true },
            row("gold", "2", from: 0, to: 10) { $0.isIntroductoryPeriod = true }, row("basic", "3", from: 0, to: 10),
        ]
        for receipt in try receipts(rows) {
            #expect(!receipt.isEligibleForIntroductoryOffer(for: "pro"))
            #expect(!receipt.isEligibleForIntroductoryOffer(for: "gold"))
            #expect(receipt.isEligibleForIntroductoryOffer(for: "basic"))
            #expect(receipt.isEligibleForIntroductoryOffer(for: ["basic", "other"]))
            #expect(!receipt.isEligibleForIntroductoryOffer(for: ["basic", "pro"]))
            #expect(receipt.isEligibleForIntroductoryOffer(for: []))
        }
    }

    @Test("Rows that cannot be told apart by date are in the same order whatever the receipt's")
    func ties() throws {
        let rows = [
            row("pro", "1", from: 0, to: 10), row("pro", "2", from: 0, to: 10), row("pro", "3", from: 0, to: 20),
        ]
        for receipt in try receipts(rows) {
            #expect(receipt.purchases(ofProductIdentifier: "pro").map(\.transactionID) == ["3", "2", "1"])
            #expect(receipt.activeAutoRenewableSubscription(of: "pro", at: Self.now)?.transactionID == "3")
        }
    }
}
