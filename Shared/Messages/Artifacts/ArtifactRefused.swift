/// An artifact is not what it claims to be. Published by receipt-validator; nobody has to take it. Key: digest.
public struct ArtifactRefused: Event {
    /// `artifact.refused.v1`
    public static let kind: MessageKind = "artifact.refused.v1"
    /// The validator.
    public static let owner = ServiceName.receiptValidator
    /// None yet.
    public static let subscribers: [ServiceName] = []

    /// Whose app it was for.
    public var organisation: OrganisationID
    /// The app it was for.
    public var app: AppID
    /// Which artifact.
    public var digest: ArtifactDigest
    /// The step that failed first.
    public var step: String
    /// Why, as a stable code.
    public var reason: String

    /// An event of these.
    public init(organisation: OrganisationID, app: AppID, digest: ArtifactDigest, step: String, reason: String) {
        self.organisation = organisation
        self.app = app
        self.digest = digest
        self.step = step
        self.reason = reason
    }

    /// The digest.
    public var key: String { digest.rawValue }
}
