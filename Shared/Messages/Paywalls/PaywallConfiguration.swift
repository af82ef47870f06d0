/// What the paywall for an entitlement offers, in this order; an empty list takes the paywall out. Sent by the operator's
/// tool. Key: `<organisation>/<app>`.
///
/// Refused: `app_unknown`, `field_invalid`, `too_many`, `overtaken`, `version_changed`.
public struct PaywallPut: Command {
    /// `paywall.put.v1`
    public static let kind: MessageKind = "paywall.put.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The paywall as it is then.
    public typealias Value = PaywallConfiguration

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// What the offers unlock.
    public var entitlement: EntitlementID
    /// The offers: up to 50, no product twice.
    public var skus: [PaywallSKU]
    /// Refused unless this is the version that counts; 0: there is none yet. Absent: whatever is there.
    public var expectedVersion: Int?
    /// Only says what it would be: nothing is kept, and nobody is told. Absent: it is done.
    public var isDryRun: Bool?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, entitlement: EntitlementID, skus: [PaywallSKU],
        expectedVersion: Int? = nil, isDryRun: Bool? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.entitlement = entitlement
        self.skus = skus
        self.expectedVersion = expectedVersion
        self.isDryRun = isDryRun
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// What the paywall for an entitlement offers, from when on.
public struct PaywallConfiguration: Codable, Sendable, Hashable {
    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// What the offers unlock.
    public var entitlement: EntitlementID
    /// The offers in their order; none: there is no such paywall any more.
    public var skus: [PaywallSKU]
    /// Raised with every change of this paywall, from 1 on.
    public var version: Int
    /// When it was changed.
    public var changedAt: Timestamp

    /// A paywall of these.
    public init(
        organisation: OrganisationID, app: AppID, entitlement: EntitlementID, skus: [PaywallSKU], version: Int,
        changedAt: Timestamp
    ) {
        self.organisation = organisation
        self.app = app
        self.entitlement = entitlement
        self.skus = skus
        self.version = version
        self.changedAt = changedAt
    }
}

/// A paywall has changed. Published by the app's partition of paywall-experiments, taken by all of them. Key:
/// `<organisation>/<app>`.
public struct PaywallConfigured: Event {
    /// `paywall.configured.v1`
    public static let kind: MessageKind = "paywall.configured.v1"
    /// paywall-experiments.
    public static let owner = ServiceName.paywallExperiments
    /// Itself: every partition.
    public static let subscribers: [ServiceName] = [.paywallExperiments]
    /// Every partition needs it.
    public static let isConfiguration = true

    /// The paywall as it is now.
    public var paywall: PaywallConfiguration

    /// An event of this paywall.
    public init(paywall: PaywallConfiguration) { self.paywall = paywall }

    /// Organisation and app.
    public var key: String { Key.app(paywall.organisation, paywall.app) }
}

/// Asks for an app's paywalls, or for every version of one. Sent by the operator's tool. Key: `<organisation>/<app>`.
public struct PaywallList: Query {
    /// `paywall.list.v1`
    public static let kind: MessageKind = "paywall.list.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// By entitlement, or the newest first: up to 300.
    public typealias Value = [PaywallConfiguration]

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// Whose versions are asked for; absent: what counts now of every entitlement that has a paywall.
    public var entitlement: EntitlementID?

    /// A question of these.
    public init(organisation: OrganisationID, app: AppID, entitlement: EntitlementID? = nil) {
        self.organisation = organisation
        self.app = app
        self.entitlement = entitlement
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}
