public import JSON

/// Asks a partition of a service for all that it keeps of a user, a page at a time: each such service has a kind for it,
/// and `tollgate users export` asks all of them.
public protocol UserRecordsQuestion: Query, NamingPartition where Value == UserRecordsPage {
    /// Where the page before ended; absent: from the beginning.
    var after: String? { get set }
    /// A question to this partition.
    init(partition: Int, organisation: OrganisationID, user: AppUserID)
}

/// Some of what a partition keeps of a user.
public struct UserRecordsPage: Codable, Sendable, Hashable {
    /// One thing that is kept of him.
    public struct Record: Codable, Sendable, Hashable {
        /// What sort of thing: the table that it is in, e.g. `events`.
        public var sort: String
        /// When it happened.
        public var at: Timestamp
        /// What is kept: an object, whose members depend on the sort.
        public var content: JSONValue

        /// A record of these.
        public init(sort: String, at: Timestamp, content: JSONValue) {
            self.sort = sort
            self.at = at
            self.content = content
        }
    }

    /// May be none before the last page.
    public var records: [Record]
    /// Give it as ``UserRecordsQuestion/after``; absent on the last page.
    public var next: String?

    /// A page of these.
    public init(records: [Record], next: String? = nil) {
        self.records = records
        self.next = next
    }
}

/// Asks a partition of paywall-experiments for all that it keeps of a user. Sent by the operator's tool.
public struct PaywallExport: UserRecordsQuestion {
    /// `paywall.export.v1`
    public static let kind: MessageKind = "paywall.export.v1"
    /// The one that keeps experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// A page.
    public typealias Value = UserRecordsPage

    /// Which partition.
    public var partition: Int
    /// Whose user he is.
    public var organisation: OrganisationID
    /// The user.
    public var user: AppUserID
    /// Where the page before ended.
    public var after: String?

    /// A question to this partition.
    public init(partition: Int, organisation: OrganisationID, user: AppUserID) {
        self.partition = partition
        self.organisation = organisation
        self.user = user
    }
}

/// Asks a partition of event-ingest for all that it keeps of a user. Sent by the operator's tool.
public struct SignpostsExport: UserRecordsQuestion {
    /// `signposts.export.v1`
    public static let kind: MessageKind = "signposts.export.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// A page.
    public typealias Value = UserRecordsPage

    /// Which partition.
    public var partition: Int
    /// Whose user he is.
    public var organisation: OrganisationID
    /// The user.
    public var user: AppUserID
    /// Where the page before ended.
    public var after: String?

    /// A question to this partition.
    public init(partition: Int, organisation: OrganisationID, user: AppUserID) {
        self.partition = partition
        self.organisation = organisation
        self.user = user
    }
}
