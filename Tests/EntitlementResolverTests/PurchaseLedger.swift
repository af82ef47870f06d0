import Lane
import Messages
import SQLite
import TestSupport

@testable import EntitlementResolver

/// What somebody knows who takes what is told of purchases and refunds: of each the highest revision.
struct PurchaseLedger: Sendable {
    /// A transaction of a user; the organisation is left out, so that plays for several can be compared.
    struct Name: Hashable, Sendable {
        var user: AppUserID
        var realm: Realm
        var environment: StoreEnvironment
        var chain: OriginalTransactionID
        var transaction: TransactionID
    }

    private(set) var purchases: [Name: CustomerPurchase] = [:]
    private(set) var refunds: [Name: CustomerRefund] = [:]

    mutating func take(_ letters: [Letter]) {
        for purchase in letters.all(CustomerPurchase.self) { take(purchase) }
        for refund in letters.all(CustomerRefund.self) { take(refund) }
    }

    private mutating func take(_ told: CustomerPurchase) {
        let name = Name(
            user: told.user, realm: told.realm, environment: told.environment, chain: told.originalTransaction,
            transaction: told.transaction)
        if let known = purchases[name], known.revision >= told.revision { return }
        purchases[name] = told
    }

    private mutating func take(_ told: CustomerRefund) {
        let name = Name(
            user: told.user, realm: told.realm, environment: told.environment, chain: told.originalTransaction,
            transaction: told.transaction)
        if let known = refunds[name], known.revision >= told.revision { return }
        refunds[name] = told
    }

    private static let somebody = OrganisationID(rawValue: "")

    /// What is somebody's, whenever it was told.
    var held: [Name: CustomerPurchase] {
        purchases.filter(\.value.isHeld).mapValues { told in
            var told = told
            (told.revision, told.organisation) = (0, Self.somebody)
            return told
        }
    }

    /// What was paid back of that.
    var refundsOfHeld: [Name: CustomerRefund] {
        refunds.filter { $0.value.isRefunded && purchases[$0.key]?.isHeld == true }.mapValues { told in
            var told = told
            (told.revision, told.organisation) = (0, Self.somebody)
            return told
        }
    }

    /// What has to be known in the end of a story.
    static func truth(
        of facts: ScenarioFacts, knowing subscriptions: [OriginalTransactionID: EntitlementResolver.Subscription]
    ) -> PurchaseLedger {
        var ledger = PurchaseLedger()
        for (original, subscription) in subscriptions {
            let user = AppUserID(rawValue: facts.customers[original] ?? "")
            for transaction in subscription.transactions {
                var told = CustomerPurchase(
                    organisation: somebody, app: ScenarioFacts.app, realm: ScenarioTests.record.realm,
                    environment: subscription.environment, user: user, transaction: transaction.id,
                    originalTransaction: original, product: transaction.product, productType: transaction.productType,
                    purchasedAt: transaction.purchasedAt,
                    chainBeganAt: subscription.transactions.map(\.purchasedAt).min() ?? .distantPast, rank: .verified,
                    linkedAt: .distantPast, isHeld: true, revision: 1)
                told.priceMilliunits = transaction.priceMilliunits
                told.currency = transaction.currency
                told.storefront = transaction.storefront
                told.quantity = transaction.quantity
                told.ownership = transaction.ownership
                told.offerType = transaction.offerType
                told.offerDiscount = transaction.offerDiscount
                ledger.take(told)
                guard let time = transaction.revokedAt, transaction.revocationType != "FAMILY_REVOKE" else { continue }
                ledger.take(
                    CustomerRefund(
                        organisation: somebody, app: ScenarioFacts.app, realm: ScenarioTests.record.realm,
                        environment: subscription.environment, user: user, transaction: transaction.id,
                        originalTransaction: original, isRefunded: true, refundedAt: time,
                        percentage: transaction.revocationType == "REFUND_PRORATED"
                            ? transaction.revocationPercentage : nil, revision: 1))
            }
        }
        return ledger
    }
}

extension TellPurchases {
    /// Tells all that there is to tell.
    static func letters(now: Timestamp, in transaction: borrowing Transaction) throws -> [Letter] {
        var outgoing = Outgoing(cause: MessageID(rawValue: "purchases"), bucket: Bucket.all[0], acceptedAt: now)
        while try ToldPurchaseStore.next(in: transaction) != nil {
            try TellPurchases().ring(now: now, in: transaction, outgoing: &outgoing)
        }
        return outgoing.publications.compactMap { Letter($0, from: .entitlementResolver) }
    }
}
