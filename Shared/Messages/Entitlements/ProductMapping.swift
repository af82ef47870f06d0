/// Which entitlements a product unlocks in an app; an empty list takes the product out. Sent by the operator's tool.
/// Key: `<organisation>/<app>`. Refused: `app_unknown`.
public struct MappingSet: Command {
    /// `mapping.set.v1`
    public static let kind: MessageKind = "mapping.set.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The mapping as it is then.
    public typealias Value = ProductMapping

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// What is sold.
    public var product: ProductID
    /// What it unlocks.
    public var entitlements: [EntitlementID]

    /// A command of these.
    public init(organisation: OrganisationID, app: AppID, product: ProductID, entitlements: [EntitlementID]) {
        self.organisation = organisation
        self.app = app
        self.product = product
        self.entitlements = entitlements
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// Which entitlements a product unlocks in an app, from when on.
public struct ProductMapping: Codable, Sendable, Hashable {
    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// What is sold.
    public var product: ProductID
    /// What it unlocks.
    public var entitlements: [EntitlementID]
    /// Raised with every change of this app's mappings.
    public var version: Int
    /// When it was changed.
    public var changedAt: Timestamp

    /// A mapping of these.
    public init(
        organisation: OrganisationID, app: AppID, product: ProductID, entitlements: [EntitlementID], version: Int,
        changedAt: Timestamp
    ) {
        self.organisation = organisation
        self.app = app
        self.product = product
        self.entitlements = entitlements
        self.version = version
        self.changedAt = changedAt
    }
}

/// A mapping has changed. Published by the app's partition of entitlement-resolver, taken by all of them. Key:
/// `<organisation>/<app>`.
public struct MappingChanged: Event {
    /// `mapping.changed.v1`
    public static let kind: MessageKind = "mapping.changed.v1"
    /// The resolver.
    public static let owner = ServiceName.entitlementResolver
    /// The resolver itself: every partition.
    public static let subscribers: [ServiceName] = [.entitlementResolver]
    /// Every partition needs it.
    public static let isConfiguration = true

    /// The mapping as it is now.
    public var mapping: ProductMapping

    /// An event of this mapping.
    public init(mapping: ProductMapping) { self.mapping = mapping }

    /// Organisation and app.
    public var key: String { Key.app(mapping.organisation, mapping.app) }
}

/// Asks which products an app maps. Sent by the operator's tool. Key: `<organisation>/<app>`.
public struct MappingList: Query {
    /// `mapping.list.v1`
    public static let kind: MessageKind = "mapping.list.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// By product.
    public typealias Value = [ProductMapping]

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
