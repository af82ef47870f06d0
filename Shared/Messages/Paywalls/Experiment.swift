/// An experiment on the paywall of one entitlement: the whole record, with its past.
public struct Experiment: Codable, Sendable, Hashable {
    /// Where it is in its life; it only ever moves forward.
    public struct State: TextIdentifier {
        /// The text.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Can still be anything; assigns nobody.
        public static let draft = State(rawValue: "draft")
        /// Assigns. At most one of an app and entitlement.
        public static let running = State(rawValue: "running")
        /// For good: everybody gets the plain paywall again.
        public static let stopped = State(rawValue: "stopped")
        /// All states of this release.
        public static let all = [draft, running, stopped]
    }

    /// What one group is offered. Once the experiment has run, a variant keeps its offers: others are another variant.
    public struct Variant: Codable, Sendable, Hashable {
        /// Its name within the experiment.
        public var key: VariantKey
        /// The offers in their order.
        public var skus: [PaywallSKU]

        /// A variant of these.
        public init(key: VariantKey, skus: [PaywallSKU]) {
            self.key = key
            self.skus = skus
        }
    }

    /// A variant's share of those who are assigned from now on.
    public struct Arm: Codable, Sendable, Hashable {
        /// Which variant.
        public var variant: VariantKey
        /// Its share is weight ÷ sum of the weights: 1 to 1,000,000.
        public var weight: Int

        /// An arm of these.
        public init(variant: VariantKey, weight: Int) {
            self.variant = variant
            self.weight = weight
        }
    }

    /// A time during which assignment followed one rule. Nobody who is assigned moves when the next one begins.
    public struct Epoch: Codable, Sendable, Hashable {
        /// From 1 on.
        public var number: Int
        /// It ends when the next one begins, or the experiment stops.
        public var beganAt: Timestamp
        /// How many of 10,000 installs take part.
        public var coverage: Int
        /// The first one is the control, the same in every epoch.
        public var arms: [Arm]

        /// An epoch of these.
        public init(number: Int, beganAt: Timestamp, coverage: Int, arms: [Arm]) {
            self.number = number
            self.beganAt = beganAt
            self.coverage = coverage
            self.arms = arms
        }
    }

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// Chosen by whoever created it; never used twice in an app.
    public var id: ExperimentID
    /// On whose paywall.
    public var entitlement: EntitlementID
    /// For people.
    public var name: String
    /// Where it is in its life.
    public var state: State
    /// How many of 10,000 installs take part, 0 to 10,000: as in the newest epoch, or as the first one will have it.
    public var coverage: Int
    /// The first one is the control: as in the newest epoch, or as the first one will have them.
    public var arms: [Arm]
    /// Every variant of any epoch, dropped ones too: who was assigned to one still gets its offers.
    public var variants: [Variant]
    /// Oldest first; none before it has run.
    public var epochs: [Epoch]
    /// How long after its exposure an install has time to buy before it counts as one that did not.
    public var conversionWindowSeconds: Int
    /// When it was created.
    public var createdAt: Timestamp
    /// Since when it has run.
    public var startedAt: Timestamp?
    /// When it was stopped.
    public var stoppedAt: Timestamp?
    /// Raised with every change, from 1 on.
    public var version: Int
    /// When it was changed last.
    public var changedAt: Timestamp

    /// An experiment of these.
    public init(
        organisation: OrganisationID, app: AppID, id: ExperimentID, entitlement: EntitlementID, name: String,
        state: State = .draft, coverage: Int, arms: [Arm], variants: [Variant], epochs: [Epoch] = [],
        conversionWindowSeconds: Int, createdAt: Timestamp, startedAt: Timestamp? = nil, stoppedAt: Timestamp? = nil,
        version: Int = 1, changedAt: Timestamp
    ) {
        self.organisation = organisation
        self.app = app
        self.id = id
        self.entitlement = entitlement
        self.name = name
        self.state = state
        self.coverage = coverage
        self.arms = arms
        self.variants = variants
        self.epochs = epochs
        self.conversionWindowSeconds = conversionWindowSeconds
        self.createdAt = createdAt
        self.startedAt = startedAt
        self.stoppedAt = stoppedAt
        self.version = version
        self.changedAt = changedAt
    }

    /// What others are compared with.
    public var control: VariantKey? { arms.first?.variant }

    /// What a variant offers; nil: it never had such a variant.
    public func skus(of variant: VariantKey) -> [PaywallSKU]? { variants.first { $0.key == variant }?.skus }
}

/// An experiment was created, started, changed or stopped. Published by the app's partition of paywall-experiments, taken
/// by all of them. Key: `<organisation>/<app>`.
public struct ExperimentChanged: Event {
    /// `experiment.changed.v1`
    public static let kind: MessageKind = "experiment.changed.v1"
    /// paywall-experiments.
    public static let owner = ServiceName.paywallExperiments
    /// Itself: every partition.
    public static let subscribers: [ServiceName] = [.paywallExperiments]
    /// Every partition needs it.
    public static let isConfiguration = true

    /// The experiment as it is now; the highest version counts.
    public var experiment: Experiment

    /// An event of this experiment.
    public init(experiment: Experiment) { self.experiment = experiment }

    /// Organisation and app.
    public var key: String { Key.app(experiment.organisation, experiment.app) }
}
