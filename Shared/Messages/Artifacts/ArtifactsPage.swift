/// Asks a partition which artifacts it keeps, a page at a time, and what would become of them if they were judged anew.
/// Sent by the operator's tool to receipt-validator.
public struct ArtifactsPage: Query, NamingPartition {
    /// `artifacts.page.v1`
    public static let kind: MessageKind = "artifacts.page.v1"
    /// The validator.
    public static let recipient = ServiceName.receiptValidator
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]

    /// Up to 200 artifacts, and where to go on.
    public struct Value: Codable, Sendable, Hashable {
        /// In the order of the store; may be fewer than were asked for, or none, before the last page.
        public var artifacts: [KeptArtifact]
        /// How many were looked at for it.
        public var looked: Int
        /// Give it as ``ArtifactsPage/after``; absent on the last page.
        public var next: String?

        /// A page of these.
        public init(artifacts: [KeptArtifact], looked: Int, next: String?) {
            self.artifacts = artifacts
            self.looked = looked
            self.next = next
        }
    }

    /// Which partition.
    public var partition: Int
    /// Where the page before ended.
    public var after: String?
    /// Only those of one organisation.
    public var organisation: OrganisationID?
    /// Only those for one app.
    public var app: AppID?
    /// Only those of one kind.
    public var artifactKind: Artifact.Kind?
    /// Only those that were refused for this reason.
    public var reason: String?
    /// Only this one.
    public var digest: ArtifactDigest?
    /// Judge each anew, keep nothing of it, and answer with those alone whose verdict would turn.
    public var onlyTurning: Bool

    /// A question to this partition.
    public init(partition: Int, after: String? = nil, onlyTurning: Bool = false) {
        self.partition = partition
        self.after = after
        self.onlyTurning = onlyTurning
    }
}
