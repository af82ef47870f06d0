/// An install has seen its variant of an experiment: one for each user id that it sent, before or after. Published by the
/// install's partition of paywall-experiments. Key: `<organisation>/<user>`.
///
/// Told again when an impression comes that counts before: of one install, experiment and environment one that is attested
/// counts before all that are not, of the same trust the earliest. ``exposedAt`` may become later by that.
public struct PaywallExposed: Event {
    /// `paywall.exposed.v1`
    public static let kind: MessageKind = "paywall.exposed.v1"
    /// The experiments.
    public static let owner = ServiceName.paywallExperiments
    /// The experiments themselves, for what the user buys, and the funnel.
    public static let subscribers: [ServiceName] = [.paywallExperiments, .eventIngest]

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The user, as the install has named him.
    public var user: AppUserID
    /// When the install named him first: an erasure of him from before leaves this exposure.
    public var namedAt: Timestamp
    /// The install.
    public var install: InstallID
    /// The experiment.
    public var experiment: ExperimentID
    /// What the install was assigned.
    public var variant: VariantKey
    /// The epoch of the experiment in which it was assigned.
    public var epoch: Int
    /// Where the app runs.
    public var environment: StoreEnvironment
    /// How well the impression is founded.
    public var trust: Trust
    /// When the paywall was seen first.
    public var exposedAt: Timestamp

    /// An exposure of these.
    public init(
        organisation: OrganisationID, app: AppID, user: AppUserID, namedAt: Timestamp, install: InstallID,
        experiment: ExperimentID, variant: VariantKey, epoch: Int, environment: StoreEnvironment, trust: Trust,
        exposedAt: Timestamp
    ) {
        self.organisation = organisation
        self.app = app
        self.user = user
        self.namedAt = namedAt
        self.install = install
        self.experiment = experiment
        self.variant = variant
        self.epoch = epoch
        self.environment = environment
        self.trust = trust
        self.exposedAt = exposedAt
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}
