/// An artifact is not what it claims to be, for the first time or not any more. Published by receipt-validator;
/// edges take it on queues of their own, to count notifications that were refused. Key: digest.
public struct ArtifactRefused: Event {
    /// `artifact.refused.v1`
    public static let kind: MessageKind = "artifact.refused.v1"
    /// The validator.
    public static let owner = ServiceName.receiptValidator
    /// None but the edges.
    public static let subscribers: [ServiceName] = []

    /// Whose app it was for.
    public var organisation: OrganisationID
    /// The app it was for.
    public var app: AppID
    /// Which artifact.
    public var digest: ArtifactDigest
    /// What it was said to be, or what it was taken for if nothing was said; absent from validators of the first release,
    /// which knew transactions alone.
    public var artifactKind: Artifact.Kind?
    /// The step that failed first.
    public var step: String
    /// Why, as a stable code.
    public var reason: String
    /// How often the verdict on this artifact for this app had turned; absent: never.
    public var revision: Int?

    /// An event of these.
    public init(
        organisation: OrganisationID, app: AppID, digest: ArtifactDigest, artifactKind: Artifact.Kind? = nil,
        step: String, reason: String, revision: Int? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.digest = digest
        self.artifactKind = artifactKind
        self.step = step
        self.reason = reason
        self.revision = revision
    }

    /// The digest.
    public var key: String { digest.rawValue }
}
