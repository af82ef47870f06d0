/// What a store says will become of a subscription; its signature has been checked. Published by receipt-validator.
///
/// Renewal information that came by itself names no app: it says something about its chain only where a transaction of
/// the same chain has been verified for the app. It is said again, under a higher revision, if the verdict on the artifact
/// has turned; ``RenewalRetracted`` takes it back.
///
/// Consumed by entitlement-resolver. Key: `<organisation>/<originalTransactionID>`.
public struct RenewalVerified: Event {
    /// `renewal.verified.v1`
    public static let kind: MessageKind = "renewal.verified.v1"
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
    public var renewal: StoreRenewal
    /// How often the verdict on this artifact for this app had turned; absent: never. The highest counts.
    public var revision: Int?

    /// An event of these.
    public init(
        organisation: OrganisationID, app: AppID, isTest: Bool, digest: ArtifactDigest, renewal: StoreRenewal,
        revision: Int? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.isTest = isTest
        self.digest = digest
        self.renewal = renewal
        self.revision = revision
    }

    /// Organisation and original transaction.
    public var key: String { Key.transaction(organisation, renewal.originalID) }
}

/// What will become of a subscription at the end of its period, as the store signed it.
public struct StoreRenewal: Codable, Sendable, Hashable {
    /// The first transaction of the chain.
    public var originalID: OriginalTransactionID
    /// Where it happens.
    public var environment: StoreEnvironment
    /// Orders what is said about one chain: the newest counts.
    public var signedAt: Timestamp
    /// What is running, or ran last.
    public var product: ProductID?
    /// What will be bought next.
    public var nextProduct: ProductID?
    /// Whether it is going to be bought; false: the customer has switched that off.
    public var willRenew: Bool?
    /// When the next period begins, if there will be one.
    public var renewsAt: Timestamp?
    /// Why it ended, in Apple's numbers: 1 cancelled, 2 billing, 3 price not agreed to, 4 product withdrawn, 5 other.
    public var expirationIntent: Int?
    /// The store is still trying to charge the customer.
    public var isInBillingRetry: Bool?
    /// Until when the customer keeps what he has while the store tries.
    public var graceExpiresAt: Timestamp?
    /// Of a higher price, in Apple's numbers: 0 not agreed to yet, 1 agreed to, or told where no consent is needed.
    public var priceIncreaseStatus: Int?
    /// What the next period costs, in thousandths of the currency's unit.
    public var priceMilliunits: Int64?
    /// ISO 4217.
    public var currency: String?
    /// Of the offer that applies next, in Apple's numbers: 1 introductory, 2 promotional, 3 code, 4 win-back.
    public var offerType: Int?
    /// The promotional offer's name or the code's.
    public var offerID: String?
    /// Start of the latest run of periods without a gap of 60 days.
    public var recentStartAt: Timestamp?
    /// The user's own id as the app gave it to the store: a UUID.
    public var appAccountToken: String?
    /// The customer's download of the app.
    public var appTransactionID: String?

    /// Information of which nothing is known but what it is about, and when it was signed.
    public init(originalID: OriginalTransactionID, environment: StoreEnvironment, signedAt: Timestamp) {
        self.originalID = originalID
        self.environment = environment
        self.signedAt = signedAt
    }
}
