/// A new experiment, as a draft. Sent by the operator's tool. Key: `<organisation>/<app>`.
///
/// Refused: `app_unknown`, `field_invalid`, `too_many`, `experiment_exists`.
public struct ExperimentCreate: Command {
    /// `experiment.create.v1`
    public static let kind: MessageKind = "experiment.create.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The experiment as it is then.
    public typealias Value = Experiment

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The tool makes it of random bytes: 1 to 64 letters, digits, dots, hyphens or underscores.
    public var experiment: ExperimentID
    /// On whose paywall.
    public var entitlement: EntitlementID
    /// For people: 1 to 200 bytes on one line, without control or formatting characters.
    public var name: String
    /// How many of 10,000 installs take part.
    public var coverage: Int
    /// Up to 10; the first one is the control.
    public var arms: [Experiment.Arm]
    /// What the arms offer: each at least one and up to 50 products, none twice.
    public var variants: [Experiment.Variant]
    /// At least 60, at most 90 days; absent: 7 days.
    public var conversionWindowSeconds: Int?
    /// Only says what it would be: nothing is kept, and nobody is told. Absent: it is done.
    public var isDryRun: Bool?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, experiment: ExperimentID, entitlement: EntitlementID, name: String,
        coverage: Int, arms: [Experiment.Arm], variants: [Experiment.Variant], conversionWindowSeconds: Int? = nil,
        isDryRun: Bool? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.experiment = experiment
        self.entitlement = entitlement
        self.name = name
        self.coverage = coverage
        self.arms = arms
        self.variants = variants
        self.conversionWindowSeconds = conversionWindowSeconds
        self.isDryRun = isDryRun
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// Starts a draft: its first epoch begins. Sent by the operator's tool. Key: `<organisation>/<app>`.
///
/// Refused: `experiment_unknown`, `version_changed`, `experiment_stopped`, `another_running`, `paywall_unknown`.
public struct ExperimentStart: Command {
    /// `experiment.start.v1`
    public static let kind: MessageKind = "experiment.start.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The experiment as it is then.
    public typealias Value = Experiment

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// Which one.
    public var experiment: ExperimentID
    /// Refused unless this is its version. Absent: whatever it is.
    public var expectedVersion: Int?
    /// Only says what it would be: nothing is kept, and nobody is told. Absent: it is done.
    public var isDryRun: Bool?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, experiment: ExperimentID, expectedVersion: Int? = nil,
        isDryRun: Bool? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.experiment = experiment
        self.expectedVersion = expectedVersion
        self.isDryRun = isDryRun
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// Changes an experiment that is not stopped; what is absent stays as it is. Of one that runs, other arms or another
/// coverage begin a new epoch. Sent by the operator's tool. Key: `<organisation>/<app>`.
///
/// Refused: `experiment_unknown`, `field_invalid`, `version_changed`, `overtaken`, `experiment_stopped`, `variant_fixed`,
/// `control_fixed`, `window_fixed`, `too_many`.
public struct ExperimentChange: Command {
    /// `experiment.change.v1`
    public static let kind: MessageKind = "experiment.change.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The experiment as it is then.
    public typealias Value = Experiment

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// Which one.
    public var experiment: ExperimentID
    /// Another name.
    public var name: String?
    /// How many of 10,000 installs take part.
    public var coverage: Int?
    /// All arms from now on; the first one is the control. Variants that are left out keep those who are assigned to them.
    public var arms: [Experiment.Arm]?
    /// What arms offer that are new; in a draft also what others offer from now on.
    public var variants: [Experiment.Variant]?
    /// Only of a draft.
    public var conversionWindowSeconds: Int?
    /// Refused unless this is its version. Absent: whatever it is.
    public var expectedVersion: Int?
    /// Only says what it would be: nothing is kept, and nobody is told. Absent: it is done.
    public var isDryRun: Bool?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, experiment: ExperimentID, name: String? = nil, coverage: Int? = nil,
        arms: [Experiment.Arm]? = nil, variants: [Experiment.Variant]? = nil, conversionWindowSeconds: Int? = nil,
        expectedVersion: Int? = nil, isDryRun: Bool? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.experiment = experiment
        self.name = name
        self.coverage = coverage
        self.arms = arms
        self.variants = variants
        self.conversionWindowSeconds = conversionWindowSeconds
        self.expectedVersion = expectedVersion
        self.isDryRun = isDryRun
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// Ends an experiment for good, also one that never ran. Sent by the operator's tool. Key: `<organisation>/<app>`.
///
/// Refused: `experiment_unknown`, `version_changed`.
public struct ExperimentStop: Command {
    /// `experiment.stop.v1`
    public static let kind: MessageKind = "experiment.stop.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The experiment as it is then.
    public typealias Value = Experiment

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// Which one.
    public var experiment: ExperimentID
    /// Refused unless this is its version. Absent: whatever it is.
    public var expectedVersion: Int?
    /// Only says what it would be: nothing is kept, and nobody is told. Absent: it is done.
    public var isDryRun: Bool?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, experiment: ExperimentID, expectedVersion: Int? = nil,
        isDryRun: Bool? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.experiment = experiment
        self.expectedVersion = expectedVersion
        self.isDryRun = isDryRun
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}
