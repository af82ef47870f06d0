internal import Messages

/// The answer of ``ShowUser``, named as the SDK API names things. What is absent is not known or does not apply; times
/// are RFC 3339 in UTC with milliseconds.
struct UserAnswer: Codable {
    struct Customer: Codable {
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

    struct Transaction: Codable {
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

    struct Entitlement: Codable {
        let entitlement: String
        let active: Bool
        let since: Timestamp?
        /// Where it is active and runs out, when; where it is not, when it ran out.
        let until: Timestamp?
        /// The transaction that decides it.
        let transactionId: String?
        let productId: String?
        let trust: Trust
        let environment: String
        let test: Bool?
        /// Why it is active, or is so no longer.
        let reason: String?
        /// Absent where nothing renews, or nothing has told.
        let willRenew: Bool?
        /// As which product.
        let renewsAs: String?
    }

    let customer: Customer
    let transactions: [Transaction]
    let entitlements: [Entitlement]
    /// The one that was asked about.
    let environment: String
    /// True for test apps, absent for others.
    let test: Bool?

    init(_ view: UserView, id: CustomerID, environment: StoreEnvironment) {
        customer = Customer(view.customer, id: id)
        transactions = view.transactions.map(Transaction.init)
        entitlements = view.entitlements.map(Entitlement.init)
        self.environment = environment.rawValue
        test = view.isTest ? true : nil
    }
}

extension UserAnswer.Customer {
    init(_ customer: UserView.Customer, id: CustomerID) {
        self.init(
            id: id.rawValue, appUserId: customer.user.rawValue, firstSeen: customer.firstSeen,
            lastSeen: customer.lastSeen, platform: customer.platform, osVersion: customer.osVersion,
            deviceModel: customer.deviceModel, locale: customer.locale, attributes: customer.attributes,
            trust: customer.trust)
    }
}

extension UserAnswer.Transaction {
    init(_ held: UserView.HeldTransaction) {
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

extension UserAnswer.Entitlement {
    init(_ state: EntitlementState) {
        self.init(
            entitlement: state.entitlement.rawValue, active: state.isActive, since: state.since, until: state.until,
            transactionId: state.transaction?.rawValue, productId: state.product?.rawValue, trust: state.trust,
            environment: state.environment.rawValue, test: state.isTest ? true : nil,
            reason: state.reason?.rawValue, willRenew: state.willRenew, renewsAs: state.renewsAs?.rawValue)
    }
}
