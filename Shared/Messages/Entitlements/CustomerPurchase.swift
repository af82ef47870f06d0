/// What a user has bought, one event per transaction: told once, and again, under a higher revision, whenever any of this
/// changes. Published by the user's partition of entitlement-resolver out of what stores signed. Key:
/// `<organisation>/<user>`.
///
/// Of one transaction of one user the highest revision counts, in any order. A transaction that is nobody's any more, or
/// somebody else's, is told once more with ``isHeld`` false.
public struct CustomerPurchase: Event {
    /// `customer.purchase.v1`
    public static let kind: MessageKind = "customer.purchase.v1"
    /// The resolver.
    public static let owner = ServiceName.entitlementResolver
    /// The outcomes of experiments, and the funnel.
    public static let subscribers: [ServiceName] = [.paywallExperiments, .eventIngest]

    /// Whose user he is.
    public var organisation: OrganisationID
    /// The app that it was bought in; absent: that is not known.
    public var app: AppID?
    /// Of a test app, or of the stores.
    public var realm: Realm
    /// Where it happened; only in production did anybody pay.
    public var environment: StoreEnvironment
    /// The user.
    public var user: AppUserID
    /// The purchase or renewal.
    public var transaction: TransactionID
    /// The chain that it belongs to.
    public var originalTransaction: OriginalTransactionID
    /// What was bought.
    public var product: ProductID
    /// What kind of product it is; absent in old artifacts.
    public var productType: StoreTransaction.ProductType?
    /// When it was bought or renewed.
    public var purchasedAt: Timestamp
    /// The earliest purchase of the chain that is known: that of this transaction, where it is no renewal.
    public var chainBeganAt: Timestamp
    /// In thousandths of the currency's unit, as the store signed it; absent: it has not told.
    public var priceMilliunits: Int64?
    /// ISO 4217.
    public var currency: String?
    /// Three letters of the country.
    public var storefront: String?
    /// How many; absent is one.
    public var quantity: Int?
    /// `PURCHASED` or `FAMILY_SHARED` (somebody else has paid: no purchase of his); absent in old artifacts.
    public var ownership: String?
    /// As in ``StoreTransaction/offerType``.
    public var offerType: Int?
    /// As in ``StoreTransaction/offerDiscount``.
    public var offerDiscount: String?
    /// How strong the claim behind the link to the user is.
    public var rank: ClaimRank
    /// Since when the chain is his, or was: the `accepted_at` of the claim that brought it to him. Until that is known, the
    /// chain's first purchase.
    public var linkedAt: Timestamp
    /// Whether it is his now. False with ``lostAt``: the chain has gone to somebody else. False without: the evidence was
    /// taken back, and nothing of it counts any more, as if it had never been told.
    public var isHeld: Bool
    /// When the chain went to somebody else: the `accepted_at` of the claim that took it.
    public var lostAt: Timestamp?
    /// Grows with every change of what was told of this transaction to this user; says nothing else.
    public var revision: Int

    /// A purchase of these; prices, offers and owner are not told.
    public init(
        organisation: OrganisationID, app: AppID? = nil, realm: Realm, environment: StoreEnvironment, user: AppUserID,
        transaction: TransactionID, originalTransaction: OriginalTransactionID, product: ProductID,
        productType: StoreTransaction.ProductType? = nil, purchasedAt: Timestamp, chainBeganAt: Timestamp,
        rank: ClaimRank, linkedAt: Timestamp, isHeld: Bool, lostAt: Timestamp? = nil, revision: Int
    ) {
        self.organisation = organisation
        self.app = app
        self.realm = realm
        self.environment = environment
        self.user = user
        self.transaction = transaction
        self.originalTransaction = originalTransaction
        self.product = product
        self.productType = productType
        self.purchasedAt = purchasedAt
        self.chainBeganAt = chainBeganAt
        self.rank = rank
        self.linkedAt = linkedAt
        self.isHeld = isHeld
        self.lostAt = lostAt
        self.revision = revision
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

extension CustomerPurchase {
    /// Whether a family member has paid for it, and not the user.
    public var isFamilyShared: Bool { ownership == "FAMILY_SHARED" }
}

/// A store has paid a user's purchase back, wholly or in part, or has taken that back. Published by the user's partition of
/// entitlement-resolver beside ``CustomerPurchase``, whose fields tell what was bought. Key: `<organisation>/<user>`.
///
/// Of one transaction of one user the highest revision counts, in any order. It says nothing about whose the transaction
/// is: that is the purchase's to say. The end of family sharing is no refund.
public struct CustomerRefund: Event {
    /// `customer.refund.v1`
    public static let kind: MessageKind = "customer.refund.v1"
    /// The resolver.
    public static let owner = ServiceName.entitlementResolver
    /// The outcomes of experiments, and the funnel.
    public static let subscribers: [ServiceName] = [.paywallExperiments, .eventIngest]

    /// Whose user he is.
    public var organisation: OrganisationID
    /// As in the purchase.
    public var app: AppID?
    /// Of a test app, or of the stores.
    public var realm: Realm
    /// Where it happened.
    public var environment: StoreEnvironment
    /// The user.
    public var user: AppUserID
    /// What was paid back.
    public var transaction: TransactionID
    /// The chain that it belongs to.
    public var originalTransaction: OriginalTransactionID
    /// False: what was told of a refund before counts no more.
    public var isRefunded: Bool
    /// When the store paid it back.
    public var refundedAt: Timestamp
    /// How much of the price, in thousandths of a percent; absent: all of it.
    public var percentage: Int64?
    /// Grows with every change of what was told of this transaction to this user; says nothing else.
    public var revision: Int

    /// A refund of these.
    public init(
        organisation: OrganisationID, app: AppID? = nil, realm: Realm, environment: StoreEnvironment, user: AppUserID,
        transaction: TransactionID, originalTransaction: OriginalTransactionID, isRefunded: Bool,
        refundedAt: Timestamp, percentage: Int64? = nil, revision: Int
    ) {
        self.organisation = organisation
        self.app = app
        self.realm = realm
        self.environment = environment
        self.user = user
        self.transaction = transaction
        self.originalTransaction = originalTransaction
        self.isRefunded = isRefunded
        self.refundedAt = refundedAt
        self.percentage = percentage
        self.revision = revision
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

extension CustomerRefund {
    /// 100 %, in thousandths of a percent.
    private static let whole: Int64 = 100_000

    /// How much of the price was paid back, in thousandths of a percent: 0 to 100,000; 0 while nothing is.
    public var share: Int64 { isRefunded ? min(max(0, percentage ?? Self.whole), Self.whole) : 0 }

    /// Whether all of it was paid back.
    public var isWhole: Bool { share == Self.whole }

    /// What of a price was paid back.
    public func part(of price: Int64) -> Int64 {
        // What is not above the whole fits, whatever the price is.
        Self.whole.dividingFullWidth(price.multipliedFullWidth(by: share)).quotient
    }
}
