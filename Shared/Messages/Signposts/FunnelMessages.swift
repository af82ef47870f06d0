/// Asks a partition which onboarding steps an app's users were shown. Sent by the operator's tool and by edges, to each
/// partition; ``Funnel/steps(adding:)`` puts the answers together. Refused: `app_unknown`.
public struct FunnelSteps: Query, NamingPartition {
    /// `funnel.steps.v1`
    public static let kind: MessageKind = "funnel.steps.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// The operator, and edges for servers.
    public static let authors: [BrokerUser]? = [.operatorTool, BrokerUser(of: .attestGateway)]

    /// The steps that this partition has heard of.
    public struct Value: Codable, Sendable, Hashable {
        /// Up to ``Funnel/mostSteps`` of them: those that attested callers told of for the most users, then those that
        /// others did.
        public var steps: [FunnelStep]
        /// How many partitions there are.
        public var partitions: Int

        /// A value of these.
        public init(steps: [FunnelStep], partitions: Int) {
            self.steps = steps
            self.partitions = partitions
        }
    }

    /// Which partition.
    public var partition: Int
    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// Only what callers of this trust told, `attested` or `unverified`; absent: all, and where both told of the same, what
    /// attested ones did.
    public var trust: Trust?

    /// A question to this partition.
    public init(partition: Int, organisation: OrganisationID, app: AppID, trust: Trust? = nil) {
        self.partition = partition
        self.organisation = organisation
        self.app = app
        self.trust = trust
    }
}

/// An onboarding step as an app has declared it, by sending it.
public struct FunnelStep: Codable, Sendable, Hashable {
    /// What it is called.
    public var step: String
    /// Its place, 0 to 99: that of the newest event of the step, of an attested caller if there is one; of several at the
    /// same time the greatest.
    public var index: Int
    /// When that event happened.
    public var declaredAt: Timestamp
    /// Whether an attested caller sent that event; absent: not known.
    public var isAttested: Bool?
    /// How many users were shown it; absent: not known.
    public var users: Int?
    /// Of how many of them attested callers told it; absent: not known.
    public var attestedUsers: Int?

    /// A step of these.
    public init(
        step: String, index: Int, declaredAt: Timestamp, isAttested: Bool? = nil, users: Int? = nil,
        attestedUsers: Int? = nil
    ) {
        self.step = step
        self.index = index
        self.declaredAt = declaredAt
        self.isAttested = isAttested
        self.users = users
        self.attestedUsers = attestedUsers
    }
}

/// Asks a partition how far an app's users have come. Sent by the operator's tool and by edges, to each partition with the
/// same steps; ``FunnelTally/adding(_:)`` adds the answers up. Refused: `app_unknown`.
public struct FunnelCount: Query, NamingPartition {
    /// `funnel.count.v1`
    public static let kind: MessageKind = "funnel.count.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// The operator, and edges for servers.
    public static let authors: [BrokerUser]? = [.operatorTool, BrokerUser(of: .attestGateway)]
    /// What was counted.
    public typealias Value = FunnelTally

    /// Which partition.
    public var partition: Int
    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The steps to count, in their order: what ``Funnel/steps(adding:)`` gives. More than ``Funnel/mostSteps`` are not
    /// counted.
    public var steps: [String]
    /// Of which environment purchases and exposures count, production or sandbox; absent: production.
    public var environment: StoreEnvironment?
    /// Only users whose first event of the funnel was then or later.
    public var from: Timestamp?
    /// Only users whose first event of the funnel was before.
    public var to: Timestamp?
    /// Counts the values of this step too.
    public var answersTo: String?
    /// The index of each of the steps: those with the same one are compared with the stage before all of them; absent: each
    /// with the one before it.
    public var indices: [Int]?
    /// Only steps and paywalls that callers of this trust told of, `attested` or `unverified`, and only users of whom they
    /// told any; absent: all.
    public var trust: Trust?

    /// A question to this partition.
    public init(
        partition: Int, organisation: OrganisationID, app: AppID, steps: [String],
        environment: StoreEnvironment? = nil, from: Timestamp? = nil, to: Timestamp? = nil, answersTo: String? = nil,
        indices: [Int]? = nil, trust: Trust? = nil
    ) {
        self.partition = partition
        self.organisation = organisation
        self.app = app
        self.steps = steps
        self.environment = environment
        self.from = from
        self.to = to
        self.answersTo = answersTo
        self.indices = indices
        self.trust = trust
    }
}
