/// What an install is to be offered; assigns it to a variant where an experiment runs. Sent by the edge, which waits for a
/// short time. Key: `<organisation>/<app>/<install>`.
///
/// Refused: `identifier_unacceptable`.
public struct PaywallResolve: Request {
    /// `paywall.resolve.v1`
    public static let kind: MessageKind = "paywall.resolve.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The edge.
    public static let authors: [BrokerUser]? = [BrokerUser(of: .attestGateway)]
    /// What to show.
    public typealias Value = PaywallOffer

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// Who asks.
    public var install: InstallID
    /// As whom he is logged in now.
    public var user: AppUserID
    /// Which paywall.
    public var entitlement: EntitlementID
    /// What StoreKit says of the app, in lower-case; assignments of each are apart.
    public var environment: StoreEnvironment
    /// This variant, outside of production; nothing is recorded then.
    public var forceVariant: VariantKey?
    /// Whether the caller is known to be a genuine app.
    public var trust: Trust

    /// A request of these.
    public init(
        organisation: OrganisationID, app: AppID, install: InstallID, user: AppUserID, entitlement: EntitlementID,
        environment: StoreEnvironment = .production, forceVariant: VariantKey? = nil, trust: Trust
    ) {
        self.organisation = organisation
        self.app = app
        self.install = install
        self.user = user
        self.entitlement = entitlement
        self.environment = environment
        self.forceVariant = forceVariant
        self.trust = trust
    }

    /// Organisation, app and install.
    public var key: String { Key.install(organisation, app, install) }
}

/// What a paywall is to offer to one install.
public struct PaywallOffer: Codable, Sendable, Hashable {
    /// Which paywall.
    public var entitlement: EntitlementID
    /// In this order; none: nothing is configured, and the app shows its own list.
    public var skus: [PaywallSKU]
    /// The running experiment that this install takes part in; absent too where the caller chose the variant: nobody is
    /// exposed by a look at it.
    public var experiment: ExperimentID?
    /// The variant that this is.
    public var variant: VariantKey?
    /// The caller chose the variant; absent: he did not.
    public var isForced: Bool?
    /// How long it may be kept.
    public var ttlSeconds: Int

    /// An offer of these.
    public init(
        entitlement: EntitlementID, skus: [PaywallSKU], experiment: ExperimentID? = nil, variant: VariantKey? = nil,
        isForced: Bool? = nil, ttlSeconds: Int
    ) {
        self.entitlement = entitlement
        self.skus = skus
        self.experiment = experiment
        self.variant = variant
        self.isForced = isForced
        self.ttlSeconds = ttlSeconds
    }
}

/// An install was assigned to a variant, for good. Published by paywall-experiments; nobody needs it yet. Key:
/// `<organisation>/<app>/<install>`.
public struct PaywallAssigned: Event {
    /// `paywall.assigned.v1`
    public static let kind: MessageKind = "paywall.assigned.v1"
    /// paywall-experiments.
    public static let owner = ServiceName.paywallExperiments
    /// None yet.
    public static let subscribers: [ServiceName] = []

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// Who was assigned.
    public var install: InstallID
    /// As whom he was logged in.
    public var user: AppUserID
    /// On whose paywall.
    public var entitlement: EntitlementID
    /// To which experiment.
    public var experiment: ExperimentID
    /// To which variant.
    public var variant: VariantKey
    /// By whose rule.
    public var epoch: Int
    /// Each has assignments of its own; only those of production count.
    public var environment: StoreEnvironment
    /// Whether the caller was known to be a genuine app.
    public var trust: Trust
    /// When he asked.
    public var assignedAt: Timestamp

    /// An event of these.
    public init(
        organisation: OrganisationID, app: AppID, install: InstallID, user: AppUserID, entitlement: EntitlementID,
        experiment: ExperimentID, variant: VariantKey, epoch: Int, environment: StoreEnvironment, trust: Trust,
        assignedAt: Timestamp
    ) {
        self.organisation = organisation
        self.app = app
        self.install = install
        self.user = user
        self.entitlement = entitlement
        self.experiment = experiment
        self.variant = variant
        self.epoch = epoch
        self.environment = environment
        self.trust = trust
        self.assignedAt = assignedAt
    }

    /// Organisation, app and install.
    public var key: String { Key.install(organisation, app, install) }
}
