/// A store's server has told something; its signature has been checked, and those of what it carries. The transaction and
/// the renewal information in it are published by themselves too, under the notification's digest. Published by
/// receipt-validator.
///
/// Stores send a notification again until it is answered, under the same ``notificationID``, and may sign it anew: then
/// it comes under another digest. Nobody takes it yet. Key: `<organisation>/<originalTransactionID>`, of one without a
/// transaction `<organisation>/<notificationID>`.
public struct NotificationVerified: Event {
    /// `notification.verified.v1`
    public static let kind: MessageKind = "notification.verified.v1"
    /// The validator.
    public static let owner = ServiceName.receiptValidator
    /// None yet.
    public static let subscribers: [ServiceName] = []

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app for which it was verified.
    public var app: AppID
    /// Signed under the app's own test root.
    public var isTest: Bool
    /// The artifact it was read from.
    public var digest: ArtifactDigest
    /// `notificationUUID`.
    public var notificationID: String
    /// `SUBSCRIBED`, `DID_RENEW`, …, in the store's words.
    public var type: String
    /// `INITIAL_BUY`, `VOLUNTARY`, …, in the store's words.
    public var subtype: String?
    /// When the notification was signed.
    public var signedAt: Timestamp
    /// Where it happened.
    public var environment: StoreEnvironment
    /// The chain that it is about.
    public var originalTransactionID: OriginalTransactionID?
    /// The transaction that it carries.
    public var transactionID: TransactionID?
    /// The product that it is about.
    public var product: ProductID?
    /// Of a subscription at that time, in Apple's numbers: 1 active, 2 expired, 3 billing retry, 4 grace, 5 revoked.
    public var subscriptionStatus: Int?
    /// How often the verdict on this artifact for this app had turned; absent: never. The highest counts.
    public var revision: Int?

    /// An event of these; the optional ones are set later.
    public init(
        organisation: OrganisationID, app: AppID, isTest: Bool, digest: ArtifactDigest, notificationID: String,
        type: String, signedAt: Timestamp, environment: StoreEnvironment
    ) {
        self.organisation = organisation
        self.app = app
        self.isTest = isTest
        self.digest = digest
        self.notificationID = notificationID
        self.type = type
        self.signedAt = signedAt
        self.environment = environment
    }

    /// Organisation, and what it is about.
    public var key: String {
        originalTransactionID.map { Key.transaction(organisation, $0) } ?? "\(organisation)/\(notificationID)"
    }
}
