/// Asks what an install was assigned to. Sent by the operator's tool. Key: `<organisation>/<app>/<install>`.
public struct AssignmentList: Query {
    /// `assignment.list.v1`
    public static let kind: MessageKind = "assignment.list.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// By environment and experiment: up to 1,000.
    public typealias Value = [Assignment]

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The install.
    public var install: InstallID
    /// Only to this one; absent: to all.
    public var experiment: ExperimentID?

    /// A question of these.
    public init(
        organisation: OrganisationID, app: AppID, install: InstallID, experiment: ExperimentID? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.install = install
        self.experiment = experiment
    }

    /// Organisation, app and install.
    public var key: String { Key.install(organisation, app, install) }
}

/// To what an install was assigned, as it is kept.
public struct Assignment: Codable, Sendable, Hashable {
    /// To which experiment.
    public var experiment: ExperimentID
    /// Each has assignments of its own.
    public var environment: StoreEnvironment
    /// To which variant.
    public var variant: VariantKey
    /// By whose rule.
    public var epoch: Int
    /// The best that was known of a caller for this install.
    public var trust: Trust
    /// When he first asked.
    public var assignedAt: Timestamp

    /// An assignment of these.
    public init(
        experiment: ExperimentID, environment: StoreEnvironment, variant: VariantKey, epoch: Int, trust: Trust,
        assignedAt: Timestamp
    ) {
        self.experiment = experiment
        self.environment = environment
        self.variant = variant
        self.epoch = epoch
        self.trust = trust
        self.assignedAt = assignedAt
    }
}
