/// Which paywall a place in an app shows: that of an entitlement; without one the place is taken out. Sent by the
/// operator's tool. Key: `<organisation>/<app>`.
///
/// Refused: `app_unknown`, `field_invalid`, `too_many`, `overtaken`, `version_changed`.
public struct PlacementPut: Command {
    /// `placement.put.v1`
    public static let kind: MessageKind = "placement.put.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The placement as it is then.
    public typealias Value = Placement

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The place.
    public var placement: PlacementID
    /// Whose paywall it shows; absent: none.
    public var entitlement: EntitlementID?
    /// Refused unless this is the version that counts; 0: there is none yet. Absent: whatever is there.
    public var expectedVersion: Int?
    /// Only says what it would be: nothing is kept, and nobody is told. Absent: it is done.
    public var isDryRun: Bool?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, placement: PlacementID, entitlement: EntitlementID?,
        expectedVersion: Int? = nil, isDryRun: Bool? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.placement = placement
        self.entitlement = entitlement
        self.expectedVersion = expectedVersion
        self.isDryRun = isDryRun
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// Which paywall a place in an app shows, from when on.
public struct Placement: Codable, Sendable, Hashable {
    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The place.
    public var placement: PlacementID
    /// Whose paywall it shows; absent: the place was taken out.
    public var entitlement: EntitlementID?
    /// Raised with every change of this placement, from 1 on.
    public var version: Int
    /// When it was changed.
    public var changedAt: Timestamp

    /// A placement of these.
    public init(
        organisation: OrganisationID, app: AppID, placement: PlacementID, entitlement: EntitlementID?, version: Int,
        changedAt: Timestamp
    ) {
        self.organisation = organisation
        self.app = app
        self.placement = placement
        self.entitlement = entitlement
        self.version = version
        self.changedAt = changedAt
    }
}

/// A placement has changed. Published by the app's partition of paywall-experiments, taken by all of them. Key:
/// `<organisation>/<app>`.
public struct PlacementConfigured: Event {
    /// `placement.configured.v1`
    public static let kind: MessageKind = "placement.configured.v1"
    /// paywall-experiments.
    public static let owner = ServiceName.paywallExperiments
    /// Itself: every partition.
    public static let subscribers: [ServiceName] = [.paywallExperiments]
    /// Every partition needs it.
    public static let isConfiguration = true

    /// The placement as it is now.
    public var placement: Placement

    /// An event of this placement.
    public init(placement: Placement) { self.placement = placement }

    /// Organisation and app.
    public var key: String { Key.app(placement.organisation, placement.app) }
}

/// Asks for an app's placements. Sent by the operator's tool. Key: `<organisation>/<app>`.
public struct PlacementList: Query {
    /// `placement.list.v1`
    public static let kind: MessageKind = "placement.list.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// Those that show a paywall, by name.
    public typealias Value = [Placement]

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID

    /// A question about this app.
    public init(organisation: OrganisationID, app: AppID) {
        self.organisation = organisation
        self.app = app
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}
