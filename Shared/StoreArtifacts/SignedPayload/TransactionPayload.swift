public import FoundationEssentials

/// A StoreKit 2 transaction (`JWSTransactionDecodedPayload` in Apple's words).
///
/// Everything but the date of signing may be absent: Apple has added fields over the years, and leaves out what does
/// not apply. Dates are Apple's milliseconds; prices are thousandths of the currency's unit.
public struct TransactionPayload: Hashable, Sendable {
    /// What kind of product was bought.
    public struct ProductType: RawRepresentable, Hashable, Sendable, Codable {
        /// Apple's word.
        public let rawValue: String
        /// Any word, known here or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Renews until cancelled.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// Bought once, kept for ever.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// Used up.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Runs out and does not renew.
        public static let nonRenewing = ProductType(rawValue: "Non-Renewing Subscription")
    }

    /// Whether it was bought or is shared.
    public struct Ownership: RawRepresentable, Hashable, Sendable, Codable {
        /// Apple's word.
        public let rawValue: String
        /// Any word, known here or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// By this customer.
        public static let purchased = Ownership(rawValue: "PURCHASED")
        /// By somebody in this customer's family.
        public static let familyShared = Ownership(rawValue: "FAMILY_SHARED")
    }

    /// How much of it Apple took back.
    public struct RevocationType: RawRepresentable, Hashable, Sendable, Codable {
        /// Apple's word.
        public let rawValue: String
        /// Any word, known here or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// All of the price.
        public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
        /// Part of the price, see ``TransactionPayload/revocationPercentage``.
        public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
        /// Nothing: the family no longer shares it.
        public static let familyRevoke = RevocationType(rawValue: "FAMILY_REVOKE")
    }

    /// This transaction; each period of a subscription has its own.
    public var transactionID: String?
    /// The first transaction of the purchase.
    public var originalTransactionID: String?
    /// Ties a subscription's period to Apple's sales reports.
    public var webOrderLineItemID: String?
    /// The app.
    public var bundleID: String?
    /// The product.
    public var productID: String?
    /// The group of subscriptions of which a customer has one at a time.
    public var subscriptionGroupID: String?
    /// What kind of product it is.
    public var type: ProductType?
    /// When this transaction was charged.
    public var purchaseDate: Date?
    /// When the first one was. Later than ``purchaseDate`` in some genuine data.
    public var originalPurchaseDate: Date?
    /// When a subscription's period ends.
    public var expiresDate: Date?
    /// When Apple took it back.
    public var revocationDate: Date?
    /// 1 for a fault of the app, 0 for any other reason.
    public var revocationReason: Int?
    /// How much Apple took back.
    public var revocationType: RevocationType?
    /// Which part of the price Apple paid back, in thousandths of a percent.
    public var revocationPercentage: Int64?
    /// When this was signed: the same transaction is signed anew each time it is asked for.
    public var signedDate: Date
    /// Where it comes from; absent before 2022.
    public var environment: AppleEnvironment?
    /// The app's own name for the customer, as it gave it to StoreKit: a UUID.
    public var appAccountToken: String?
    /// Whether it was bought or is shared.
    public var ownership: Ownership?
    /// How many.
    public var quantity: Int?
    /// In thousandths; absent also where it was written with a fraction.
    public var price: Int64?
    /// ISO 4217.
    public var currency: String?
    /// The store's country, three letters.
    public var storefront: String?
    /// Apple's number for it.
    public var storefrontID: String?
    /// 1 introductory, 2 promotional, 3 code, 4 win-back.
    public var offerType: Int?
    /// The promotional offer's name or the code's.
    public var offerIdentifier: String?
    /// `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`.
    public var offerDiscountType: String?
    /// How long the offer's price holds, as in ISO 8601: `P1M`.
    public var offerPeriod: String?
    /// Superseded by a better subscription of the group.
    public var isUpgraded: Bool?
    /// `PURCHASE` or `RENEWAL`.
    public var transactionReason: String?
    /// The customer's download of the app.
    public var appTransactionID: String?

    /// The payload as it was signed, with fields that are not listed here; empty for one that was not.
    public internal(set) var signedJSON: [UInt8] = []

    /// A transaction that nobody has signed yet and of which nothing is known but when that will be.
    public init(signedDate: Date) {
        self.signedDate = signedDate
    }
}
