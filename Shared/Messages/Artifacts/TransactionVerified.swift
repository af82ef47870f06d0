/// A transaction's signature has been checked. Published by receipt-validator under the verified id.
///
/// An artifact may tell of many transactions, and the same transaction may be told of by many artifacts. What is told of
/// one transaction by one artifact for one app is said again, under a higher revision, if the verdict on the artifact has
/// turned; ``TransactionRetracted`` takes it back.
///
/// Consumed by entitlement-resolver. Key: `<organisation>/<originalTransactionID>`.
public struct TransactionVerified: Event {
    /// `transaction.verified.v1`
    public static let kind: MessageKind = "transaction.verified.v1"
    /// The validator.
    public static let owner = ServiceName.receiptValidator
    /// The resolver.
    public static let subscribers: [ServiceName] = [.entitlementResolver]

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app for which it was verified.
    public var app: AppID
    /// Signed under the app's own test root.
    public var isTest: Bool
    /// The artifact it was read from.
    public var digest: ArtifactDigest
    /// What the store said.
    public var transaction: StoreTransaction
    /// How often the verdict on this artifact for this app had turned; absent: never. The highest counts.
    public var revision: Int?

    /// An event of these.
    public init(
        organisation: OrganisationID, app: AppID, isTest: Bool, digest: ArtifactDigest, transaction: StoreTransaction,
        revision: Int? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.isTest = isTest
        self.digest = digest
        self.transaction = transaction
        self.revision = revision
    }

    /// Organisation and original transaction.
    public var key: String { Key.transaction(organisation, transaction.originalID) }
}

/// One transaction, as the store signed it.
public struct StoreTransaction: Codable, Sendable, Hashable {
    /// Renewing or not, as the store calls it (`Auto-Renewable Subscription`, `Non-Consumable`, …).
    public struct ProductType: TextIdentifier {
        /// The text.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Renews until cancelled.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// Bought once, kept for ever.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// Used up; grants no entitlement.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Runs out and does not renew.
        public static let nonRenewing = ProductType(rawValue: "Non-Renewing Subscription")
    }

    /// This transaction.
    public var id: TransactionID
    /// The first one of its chain.
    public var originalID: OriginalTransactionID
    /// What was bought.
    public var product: ProductID
    /// What kind of product it is; absent in old artifacts.
    public var productType: ProductType?
    /// Where it happened.
    public var environment: StoreEnvironment
    /// When it was bought or renewed.
    public var purchasedAt: Timestamp
    /// Absent for what does not expire.
    public var expiresAt: Timestamp?
    /// When the store took it back.
    public var revokedAt: Timestamp?
    /// Orders evidence about this one transaction; says nothing about others.
    public var signedAt: Timestamp
    /// `PURCHASED` or `FAMILY_SHARED`; absent in old artifacts.
    public var ownership: String?
    /// Another product has taken its place before its period was over: grants until that one begins.
    public var isUpgraded: Bool?
    /// The user's own id as the app gave it to the store: a UUID.
    public var appAccountToken: String?
    /// How many; absent is one.
    public var quantity: Int?
    /// In thousandths of the currency's unit.
    public var priceMilliunits: Int64?
    /// ISO 4217.
    public var currency: String?
    /// Three letters of the country.
    public var storefront: String?
    /// Of the offer that the period was bought at, in Apple's numbers: 1 introductory, 2 promotional, 3 code, 4 win-back;
    /// absent: at its price, or not told.
    public var offerType: Int?
    /// The promotional offer's name or the code's.
    public var offerID: String?
    /// How the offer is paid for: `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`.
    public var offerDiscount: String?
    /// Why the store took it back, in Apple's numbers: 1 a fault of the app, 0 any other.
    public var revocationReason: Int?
    /// How it was taken back: `REFUND_FULL`, `REFUND_PRORATED` or `FAMILY_REVOKE`; absent in old artifacts.
    public var revocationType: String?
    /// How much of the price was paid back, in thousandths of a percent.
    public var revocationPercentage: Int64?

    /// A transaction of these; how it was offered and how it was taken back are not told.
    public init(
        id: TransactionID, originalID: OriginalTransactionID, product: ProductID, productType: ProductType? = nil,
        environment: StoreEnvironment, purchasedAt: Timestamp, expiresAt: Timestamp? = nil,
        revokedAt: Timestamp? = nil, signedAt: Timestamp, ownership: String? = nil, isUpgraded: Bool? = nil,
        appAccountToken: String? = nil, quantity: Int? = nil, priceMilliunits: Int64? = nil, currency: String? = nil,
        storefront: String? = nil
    ) {
        self.id = id
        self.originalID = originalID
        self.product = product
        self.productType = productType
        self.environment = environment
        self.purchasedAt = purchasedAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.signedAt = signedAt
        self.ownership = ownership
        self.isUpgraded = isUpgraded
        self.appAccountToken = appAccountToken
        self.quantity = quantity
        self.priceMilliunits = priceMilliunits
        self.currency = currency
        self.storefront = storefront
    }
}
