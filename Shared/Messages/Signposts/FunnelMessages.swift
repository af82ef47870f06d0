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
        /// Up to ``Funnel/mostSteps`` of them, those that were declared last.
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

    /// A question to this partition.
    public init(partition: Int, organisation: OrganisationID, app: AppID) {
        self.partition = partition
        self.organisation = organisation
        self.app = app
    }
}

/// An onboarding step as an app has declared it, by sending it.
public struct FunnelStep: Codable, Sendable, Hashable {
    /// What it is called.
    public var step: String
    /// Its place, 0 to 99: that of the newest event of the step; of several at the same time the greatest.
    public var index: Int
    /// When that event happened.
    public var declaredAt: Timestamp

    /// A step of these.
    public init(step: String, index: Int, declaredAt: Timestamp) {
        self.step = step
        self.index = index
        self.declaredAt = declaredAt
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

    /// A question to this partition.
    public init(
        partition: Int, organisation: OrganisationID, app: AppID, steps: [String],
        environment: StoreEnvironment? = nil, from: Timestamp? = nil, to: Timestamp? = nil, answersTo: String? = nil
    ) {
        self.partition = partition
        self.organisation = organisation
        self.app = app
        self.steps = steps
        self.environment = environment
        self.from = from
        self.to = to
        self.answersTo = answersTo
    }
}
