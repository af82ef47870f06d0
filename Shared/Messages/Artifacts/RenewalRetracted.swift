/// What an artifact has told of the future of a subscription counts no more: the verdict on the artifact
/// has turned. What other artifacts tell of it stays. Published by receipt-validator.
///
/// Consumed by entitlement-resolver. Key: `<organisation>/<originalTransactionID>`.
public struct RenewalRetracted: Event {
    /// `renewal.retracted.v1`
    public static let kind: MessageKind = "renewal.retracted.v1"
    /// The validator.
    public static let owner = ServiceName.receiptValidator
    /// The resolver.
    public static let subscribers: [ServiceName] = [.entitlementResolver]

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app for which it had been verified.
    public var app: AppID
    /// It had been signed under the app's own test root.
    public var isTest: Bool
    /// The artifact that it was read from.
    public var digest: ArtifactDigest
    /// How often the verdict on this artifact for this app has turned. What was told under a lower one is taken back,
    /// whether it has arrived or not.
    public var revision: Int
    /// The first transaction of the chain, as it was told.
    public var originalTransactionID: OriginalTransactionID
    /// Where it happened, as it was told.
    public var environment: StoreEnvironment
    /// Why, as a stable code: that of the refusal, or `superseded` if the artifact tells of it differently now.
    public var reason: String

    /// An event of these.
    public init(
        organisation: OrganisationID, app: AppID, isTest: Bool, digest: ArtifactDigest, revision: Int,
        originalTransactionID: OriginalTransactionID, environment: StoreEnvironment, reason: String
    ) {
        self.organisation = organisation
        self.app = app
        self.isTest = isTest
        self.digest = digest
        self.revision = revision
        self.originalTransactionID = originalTransactionID
        self.environment = environment
        self.reason = reason
    }

    /// Organisation and original transaction.
    public var key: String { Key.transaction(organisation, originalTransactionID) }
}
