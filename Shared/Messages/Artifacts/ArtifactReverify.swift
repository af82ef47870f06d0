/// Judges an artifact that is kept anew, as of the time when it was received. A verdict that turns is stored with a
/// higher revision, and what follows from it is published: facts taken back, told for the first time, or refused.
///
/// Sent by the operator's tool. Taken by receipt-validator. Key: digest. Refused: `artifact_unknown`.
public struct ArtifactReverify: Command {
    /// `artifact.reverify.v1`
    public static let kind: MessageKind = "artifact.reverify.v1"
    /// The validator.
    public static let recipient = ServiceName.receiptValidator
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The artifact with the verdict that counts from now on.
    public typealias Value = KeptArtifact

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app for which it was judged.
    public var app: AppID
    /// Which artifact.
    public var digest: ArtifactDigest
    /// As what it was judged: the same text may have been handed in as several kinds.
    public var artifactKind: Artifact.Kind

    /// A command of these.
    public init(organisation: OrganisationID, app: AppID, digest: ArtifactDigest, artifactKind: Artifact.Kind) {
        self.organisation = organisation
        self.app = app
        self.digest = digest
        self.artifactKind = artifactKind
    }

    /// The digest.
    public var key: String { digest.rawValue }
}

/// An artifact for one app with the verdict on it, without its text.
public struct KeptArtifact: Codable, Sendable, Hashable {
    /// An answer in short.
    public struct Verdict: Codable, Sendable, Hashable {
        /// `verified`, `refused`, or `retryable` where only a look was taken.
        public var outcome: String
        /// The step that failed first.
        public var step: String?
        /// Why, as a stable code.
        public var reason: String?
        /// How many facts it tells: transactions, renewals, and that of a notification itself.
        public var facts: Int

        /// An answer of these.
        public init(outcome: String, step: String? = nil, reason: String? = nil, facts: Int = 0) {
            self.outcome = outcome
            self.step = step
            self.reason = reason
            self.facts = facts
        }
    }

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app for which it was judged.
    public var app: AppID
    /// Which artifact.
    public var digest: ArtifactDigest
    /// What it was said to be, or what it was taken for if nothing was said.
    public var artifactKind: Artifact.Kind
    /// When it was first received.
    public var receivedAt: Timestamp
    /// When the verdict was reached.
    public var judgedAt: Timestamp
    /// By which edition of the rules.
    public var ruleset: Int
    /// How often the verdict has turned.
    public var revision: Int
    /// The verdict that counts.
    public var verdict: Verdict
    /// What it would be if it were judged anew, where that is not the same; only if asked for.
    public var anew: Verdict?

    /// An artifact of these.
    public init(
        organisation: OrganisationID, app: AppID, digest: ArtifactDigest, artifactKind: Artifact.Kind,
        receivedAt: Timestamp, judgedAt: Timestamp, ruleset: Int, revision: Int, verdict: Verdict,
        anew: Verdict? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.digest = digest
        self.artifactKind = artifactKind
        self.receivedAt = receivedAt
        self.judgedAt = judgedAt
        self.ruleset = ruleset
        self.revision = revision
        self.verdict = verdict
        self.anew = anew
    }
}
