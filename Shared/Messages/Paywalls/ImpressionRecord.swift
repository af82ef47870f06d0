/// A paywall was seen: the first one of an install in an experiment exposes it to its variant; of all of them is kept what
/// was rendered. Sent by the edge. Key: `<organisation>/<bundle id>/<installID>`.
///
/// First is by `accepted_at`, which counts from the assignment of the install on; one that is attested comes before all that
/// are not. Refused: `not_assigned`, where the install has no variant of the experiment, or where there is no such
/// experiment; `identifier_unacceptable`; `too_many_skus`, for more than ``PaywallSKU/mostOffers``.
public struct ImpressionRecord: Command {
    /// `impression.record.v1`
    public static let kind: MessageKind = "impression.record.v1"
    /// The experiments.
    public static let recipient = ServiceName.paywallExperiments

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The install that has shown it.
    public var install: InstallID
    /// The experiment, as the paywall's answer named it.
    public var experiment: ExperimentID
    /// The products that were really there, in the order in which they were shown.
    public var renderedSkus: [ProductID]
    /// Three letters of the store's country; absent: not told.
    public var storefront: String?
    /// Where the app runs; absent: the caller does not say, and it is where the install was assigned to a variant last until
    /// then.
    public var environment: StoreEnvironment?
    /// Whether a genuine app on a genuine device says so.
    public var trust: Trust

    /// An impression of these.
    public init(
        organisation: OrganisationID, app: AppID, install: InstallID, experiment: ExperimentID,
        renderedSkus: [ProductID], storefront: String? = nil, environment: StoreEnvironment? = nil, trust: Trust
    ) {
        self.organisation = organisation
        self.app = app
        self.install = install
        self.experiment = experiment
        self.renderedSkus = renderedSkus
        self.storefront = storefront
        self.environment = environment
        self.trust = trust
    }

    /// Organisation, app and install.
    public var key: String { Key.install(organisation, app, install) }
}
