public import JSON

/// Asks for the verdict on an artifact, now. It is judged, kept and published as one that was submitted is, and the
/// answer comes when that is stored.
///
/// Sent by edges. Taken by receipt-validator. Key: digest. Failed: `app_unknown`, `digest_mismatch`, `too_large`.
public struct ArtifactVerify: Request {
    /// `artifact.verify.v1`
    public static let kind: MessageKind = "artifact.verify.v1"
    /// The validator.
    public static let recipient = ServiceName.receiptValidator

    /// The verdict.
    public struct Value: Codable, Sendable, Hashable {
        /// `{"kind", "verdict", "step", "reason", "message", "environment", "trust", "checks", "fields"}`, as
        /// `tollgate verify --json` prints it: `verified`, `refused` or `retryable`, each an answer.
        public var report: JSONValue

        /// An answer of this report.
        public init(report: JSONValue) { self.report = report }
    }

    /// Whose app it is.
    public var organisation: OrganisationID
    /// For which app it has to be good.
    public var app: AppID
    /// What it is said to be; its kind may be ``Artifact/Kind/auto``.
    public var artifact: Artifact
    /// SHA-256 of ``Artifact/text``.
    public var digest: ArtifactDigest

    /// A request of these.
    public init(organisation: OrganisationID, app: AppID, artifact: Artifact, digest: ArtifactDigest) {
        self.organisation = organisation
        self.app = app
        self.artifact = artifact
        self.digest = digest
    }

    /// The digest.
    public var key: String { digest.rawValue }
}
