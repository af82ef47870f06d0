/// Asks a partition of a service that keeps something of users where it names one: each such service has a kind for it,
/// and `tollgate users erase` asks all of them.
public protocol UserTracesQuestion: Query, NamingPartition where Value == UserTraces.Value {
    /// Whose user he is.
    var organisation: OrganisationID { get }
    /// The user.
    var user: AppUserID { get }

    /// A question to this partition.
    init(partition: Int, organisation: OrganisationID, user: AppUserID)
}

extension UserTraces: UserTracesQuestion {}

/// Asks a partition of paywall-experiments where it names a user. Sent by the operator's tool.
public struct PaywallTraces: UserTracesQuestion {
    /// `paywall.traces.v1`
    public static let kind: MessageKind = "paywall.traces.v1"
    /// The one that keeps experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// As of entitlement-resolver.
    public typealias Value = UserTraces.Value

    /// Which partition.
    public var partition: Int
    /// Whose user he is.
    public var organisation: OrganisationID
    /// The user.
    public var user: AppUserID

    /// A question to this partition.
    public init(partition: Int, organisation: OrganisationID, user: AppUserID) {
        self.partition = partition
        self.organisation = organisation
        self.user = user
    }
}

/// Asks a partition of event-ingest where it names a user. Sent by the operator's tool.
public struct SignpostsTraces: UserTracesQuestion {
    /// `signposts.traces.v1`
    public static let kind: MessageKind = "signposts.traces.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// As of entitlement-resolver.
    public typealias Value = UserTraces.Value

    /// Which partition.
    public var partition: Int
    /// Whose user he is.
    public var organisation: OrganisationID
    /// The user.
    public var user: AppUserID

    /// A question to this partition.
    public init(partition: Int, organisation: OrganisationID, user: AppUserID) {
        self.partition = partition
        self.organisation = organisation
        self.user = user
    }
}
