/// A user as the server API tells of him, named as the SDK API names things. What is absent is not known or does not apply;
/// times are RFC 3339 in UTC with milliseconds.
public struct UserAnswer: Codable, Sendable {
    struct Customer: Codable, Sendable {
        /// The id that `identify` answered.
        let id: String
        let appUserId: String
        let firstSeen: Timestamp
        let lastSeen: Timestamp
        let platform: String?
        let osVersion: String?
        let deviceModel: String?
        let locale: String?
        let attributes: [String: AttributeValue]
        let trust: Trust
    }

    struct Transaction: Codable, Sendable {
        let originalTransactionId: String
        /// The newest of the chain, like all up to `storefront`; absent while nothing signed is known.
        let transactionId: String?
        let productId: String?
        let productType: String?
        let environment: String?
        let purchasedAt: Timestamp?
        let expiresAt: Timestamp?
        let revokedAt: Timestamp?
        let ownership: String?
        let isUpgraded: Bool?
        let quantity: Int?
        /// In thousandths of the currency's unit.
        let priceMilliunits: Int64?
        let currency: String?
        let storefront: String?
        /// How many transactions of the chain are known.
        let count: Int
        /// How well it is founded that it is his.
        let trust: Trust
        /// Since when it is his.
        let since: Timestamp
        let test: Bool?
    }

    let customer: Customer
    let transactions: [Transaction]
    let entitlements: [EntitlementAnswer]
    /// The one that was asked about.
    let environment: String
    /// True for test apps, absent for others.
    let test: Bool?

    /// What the resolver knows, told outside.
    ///
    /// - Parameters:
    ///   - id: that `identify` answered.
    ///   - environment: the one that was asked about.
    public init(_ view: UserView, id: String, environment: StoreEnvironment) {
        customer = Customer(view.customer, id: id)
        transactions = view.transactions.map(Transaction.init)
        entitlements = view.entitlements.map(EntitlementAnswer.init)
        self.environment = environment.rawValue
        test = view.isTest ? true : nil
    }
}

extension UserAnswer.Customer {
    fileprivate init(_ customer: UserView.Customer, id: String) {
        self.init(
            id: id, appUserId: customer.user.rawValue, firstSeen: customer.firstSeen,
            lastSeen: customer.lastSeen, platform: customer.platform, osVersion: customer.osVersion,
            deviceModel: customer.deviceModel, locale: customer.locale, attributes: customer.attributes,
            trust: customer.trust)
    }
}

extension UserAnswer.Transaction {
    fileprivate init(_ held: UserView.HeldTransaction) {
        let latest = held.latest
        self.init(
            originalTransactionId: held.originalTransactionID.rawValue, transactionId: latest?.id.rawValue,
            productId: latest?.product.rawValue, productType: latest?.productType?.rawValue,
            environment: latest?.environment.rawValue, purchasedAt: latest?.purchasedAt, expiresAt: latest?.expiresAt,
            revokedAt: latest?.revokedAt, ownership: latest?.ownership, isUpgraded: latest?.isUpgraded,
            quantity: latest?.quantity, priceMilliunits: latest?.priceMilliunits, currency: latest?.currency,
            storefront: latest?.storefront, count: held.count, trust: held.trust, since: held.since,
            test: held.isTest ? true : nil)
    }
}
