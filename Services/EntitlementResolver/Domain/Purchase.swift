package import Messages

/// What there is to tell of one transaction of a user.
package struct Purchase: Codable, Hashable, Sendable {
    /// The store has paid it back.
    package struct Refund: Codable, Hashable, Sendable {
        package var at: Timestamp
        /// In thousandths of a percent; nil: all of it.
        package var percentage: Int64?
    }

    package var app: AppID?
    package var product: ProductID
    package var productType: StoreTransaction.ProductType?
    package var purchasedAt: Timestamp
    package var chainBeganAt: Timestamp
    package var priceMilliunits: Int64?
    package var currency: String?
    package var storefront: String?
    package var quantity: Int?
    package var ownership: String?
    package var offerType: Int?
    package var offerDiscount: String?
    package var rank: ClaimRank
    package var linkedAt: Timestamp
    package var isHeld: Bool
    package var lostAt: Timestamp?
    package var refund: Refund?

    /// - Parameters:
    ///   - chainBeganAt: the earliest purchase of its chain.
    ///   - tenure: of its chain.
    package init(
        _ transaction: StoreTransaction, boughtIn app: AppID?, chainBeganAt: Timestamp, tenure: Tenure
    ) {
        self.app = app
        product = transaction.product
        productType = transaction.productType
        purchasedAt = transaction.purchasedAt
        self.chainBeganAt = chainBeganAt
        priceMilliunits = transaction.priceMilliunits
        currency = transaction.currency
        storefront = transaction.storefront
        quantity = transaction.quantity
        ownership = transaction.ownership
        offerType = transaction.offerType
        offerDiscount = transaction.offerDiscount
        rank = tenure.rank
        linkedAt = tenure.since ?? chainBeganAt
        isHeld = tenure.lostAt == nil
        lostAt = tenure.lostAt
        refund = Refund(of: transaction)
    }

    /// As it is told where the evidence was taken back: nothing of it counts any more.
    package var retracted: Purchase {
        var retracted = self
        (retracted.isHeld, retracted.lostAt, retracted.refund) = (false, nil, nil)
        return retracted
    }

    /// What is to be told of each transaction of a chain in one environment.
    package static func all(
        in subscription: Subscription, boughtIn app: AppID?, tenure: Tenure
    ) -> [TransactionID: Purchase] {
        guard let first = subscription.transactions.first else { return [:] }
        return Dictionary(
            subscription.transactions.map {
                ($0.id, Purchase($0, boughtIn: app, chainBeganAt: first.purchasedAt, tenure: tenure))
            }, uniquingKeysWith: { $1 })
    }
}

extension Purchase.Refund {
    /// Nil: it was not paid back. That a family shares it no longer is no refund.
    fileprivate init?(of transaction: StoreTransaction) {
        guard let at = transaction.revokedAt, transaction.ownership != "FAMILY_SHARED",
            transaction.revocationType != "FAMILY_REVOKE"
        else { return nil }
        let isPartial = transaction.revocationType == "REFUND_PRORATED"
        self.init(at: at, percentage: isPartial ? transaction.revocationPercentage : nil)
    }
}

extension Purchase {
    /// The event that tells it.
    package func event(of id: TransactionID, in place: PurchasePlace, revision: Int) -> CustomerPurchase {
        var event = CustomerPurchase(
            organisation: place.chain.organisation, app: app, realm: place.chain.realm,
            environment: place.environment, user: place.user, transaction: id,
            originalTransaction: place.chain.original,
            product: product, productType: productType, purchasedAt: purchasedAt, chainBeganAt: chainBeganAt,
            rank: rank, linkedAt: linkedAt, isHeld: isHeld, lostAt: lostAt, revision: revision)
        event.priceMilliunits = priceMilliunits
        event.currency = currency
        event.storefront = storefront
        event.quantity = quantity
        event.ownership = ownership
        event.offerType = offerType
        event.offerDiscount = offerDiscount
        return event
    }

    /// The event that tells of its refund, or takes back what was told of `before`'s; nil: there is nothing to tell.
    package func refundEvent(
        after before: Purchase?, of id: TransactionID, in place: PurchasePlace, revision: Int
    ) -> CustomerRefund? {
        guard let told = refund ?? before?.refund, refund != before?.refund else { return nil }
        return CustomerRefund(
            organisation: place.chain.organisation, app: app, realm: place.chain.realm,
            environment: place.environment, user: place.user, transaction: id,
            originalTransaction: place.chain.original,
            isRefunded: refund != nil, refundedAt: told.at, percentage: told.percentage, revision: revision)
    }

    /// Whether the same is told of the purchase itself.
    package func sellsAs(_ other: Purchase) -> Bool {
        var other = other
        other.refund = refund
        return self == other
    }
}

/// A chain of a user, in one environment.
package struct PurchasePlace: Hashable, Sendable {
    package var chain: ChainID
    package var environment: StoreEnvironment
    package var user: AppUserID

    package init(_ chain: ChainID, _ environment: StoreEnvironment, of user: AppUserID) {
        self.chain = chain
        self.environment = environment
        self.user = user
    }
}
