/// Connects an app, or changes its settings; what is absent stays as it is. Sent by the operator's tool to the
/// registry. Key: organisation.
///
/// Refused: `field_invalid`; `test_root_fixed` when it would change the test roots of an app that is there.
public struct AppPut: Command {
    /// `app.put.v1`
    public static let kind: MessageKind = "app.put.v1"
    /// The registry.
    public static let recipient = ServiceName.attestGateway
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The app as it is then.
    public typealias Value = AppRecord

    /// Whose app it is.
    public var organisation: OrganisationID
    /// Its bundle id.
    public var app: AppID
    /// DER of test roots in base64; only when the app is new.
    public var testRoots: [String]?
    /// What a claim of the same rank does to a link; `move` for a new app.
    public var linkMovePolicy: LinkMovePolicy?
    /// Whether unverified links grant; false for a new app.
    public var unverifiedLinksGrant: Bool?
    /// All keys that sign its purchases, as in ``AppRecord/purchaseKeys``: RSA of at least 2048 bits; an empty list
    /// takes them away.
    public var purchaseKeys: [String]?
    /// Of the developer at Apple.
    public var teamID: TeamID?
    /// The number by which Apple knows the app.
    public var appleID: Int64?
    /// SHA-256, in lower-case hexadecimal, of a secret for the path that Apple's server calls. Taken where the app has
    /// none; where it has one, only if ``oldNotificationTokenSeconds`` is there.
    public var notificationTokenDigest: String?
    /// Makes ``notificationTokenDigest`` the app's token in any case, and ends the one before so many seconds after
    /// the command was accepted: 0 at once, at most 30 days.
    public var oldNotificationTokenSeconds: Int?
    /// Which of App Attest's services may vouch for its devices; an empty list: production alone, as for a new app.
    public var attestEnvironments: [AttestEnvironment]?
    /// Each number sets one limit of its callers, 1 to 1,000,000; 0 makes it the installation's again.
    public var limits: AppLimits?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, testRoots: [String]? = nil, linkMovePolicy: LinkMovePolicy? = nil,
        unverifiedLinksGrant: Bool? = nil, purchaseKeys: [String]? = nil, teamID: TeamID? = nil, appleID: Int64? = nil,
        notificationTokenDigest: String? = nil, oldNotificationTokenSeconds: Int? = nil,
        attestEnvironments: [AttestEnvironment]? = nil, limits: AppLimits? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.testRoots = testRoots
        self.linkMovePolicy = linkMovePolicy
        self.unverifiedLinksGrant = unverifiedLinksGrant
        self.purchaseKeys = purchaseKeys
        self.teamID = teamID
        self.appleID = appleID
        self.notificationTokenDigest = notificationTokenDigest
        self.oldNotificationTokenSeconds = oldNotificationTokenSeconds
        self.attestEnvironments = attestEnvironments
        self.limits = limits
    }

    /// The organisation.
    public var key: String { organisation.rawValue }
}

/// Adds a server key, by its digest. Sent by the operator's tool to the registry. Key: organisation.
///
/// Refused: `field_invalid`, `organisation_unknown`, `key_exists`.
public struct KeyAdd: Command {
    /// `key.add.v1`
    public static let kind: MessageKind = "key.add.v1"
    /// The registry.
    public static let recipient = ServiceName.attestGateway
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The key as it is then.
    public typealias Value = KeyRecord

    /// Whose data it opens.
    public var organisation: OrganisationID
    /// Its name in lists.
    public var id: KeyID
    /// SHA-256 of the secret, in lower-case hexadecimal.
    public var digest: String
    /// What it may do.
    public var scope: KeyRecord.Scope

    /// A command of these.
    public init(organisation: OrganisationID, id: KeyID, digest: String, scope: KeyRecord.Scope) {
        self.organisation = organisation
        self.id = id
        self.digest = digest
        self.scope = scope
    }

    /// The organisation.
    public var key: String { organisation.rawValue }
}

/// Ends a server key. Sent by the operator's tool to the registry. Key: organisation. Refused: `field_invalid`,
/// `key_unknown`.
public struct KeyRevoke: Command {
    /// `key.revoke.v1`
    public static let kind: MessageKind = "key.revoke.v1"
    /// The registry.
    public static let recipient = ServiceName.attestGateway
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The key as it is then.
    public typealias Value = KeyRecord

    /// Whose key it is.
    public var organisation: OrganisationID
    /// Its name in lists.
    public var id: KeyID

    /// A command of these.
    public init(organisation: OrganisationID, id: KeyID) {
        self.organisation = organisation
        self.id = id
    }

    /// The organisation.
    public var key: String { organisation.rawValue }
}

/// An app is connected or has changed: the whole record. Published by the registry; every partition of every service
/// takes it, and every edge. Key: organisation.
public struct AppChanged: Event {
    /// `app.changed.v1`
    public static let kind: MessageKind = "app.changed.v1"
    /// The registry.
    public static let owner = ServiceName.attestGateway
    /// Those who need an app's settings.
    public static let subscribers: [ServiceName] = [
        .receiptValidator, .entitlementResolver, .paywallExperiments, .eventIngest,
    ]
    /// Every partition needs it.
    public static let isConfiguration = true

    /// The app as it is now.
    public var record: AppRecord

    /// An event of this record.
    public init(record: AppRecord) { self.record = record }

    /// The organisation.
    public var key: String { record.organisation.rawValue }
}

/// A server key was added or revoked. Published by the registry; edges take it on queues of their own. Key:
/// organisation.
public struct KeyChanged: Event {
    /// `key.changed.v1`
    public static let kind: MessageKind = "key.changed.v1"
    /// The registry.
    public static let owner = ServiceName.attestGateway
    /// None but the edges.
    public static let subscribers: [ServiceName] = []
    /// Every edge needs it.
    public static let isConfiguration = true

    /// The key as it is now.
    public var record: KeyRecord

    /// An event of this record.
    public init(record: KeyRecord) { self.record = record }

    /// The organisation.
    public var key: String { record.organisation.rawValue }
}

/// Asks the registry for all apps and keys, and for devices of which not every token is good. Sent by edges when they
/// start, and by the operator's tool.
public struct RegistrySnapshot: Query {
    /// `registry.snapshot.v1`
    public static let kind: MessageKind = "registry.snapshot.v1"
    /// The registry.
    public static let recipient = ServiceName.attestGateway

    /// All that the registry knows.
    public struct Value: Codable, Sendable, Hashable {
        /// The highest version among the records; 0 for an empty registry.
        public var version: Int
        /// Every app.
        public var apps: [AppRecord]
        /// Every key, revoked ones too.
        public var keys: [KeyRecord]
        /// Every device of which there may be a token that was good once and is not any more, since the device was
        /// revoked, or attested anew before the token had ended. Absent where they were not asked for, and from
        /// registries of the releases before.
        public var devices: [DeviceStanding]?
        /// There are more of ``devices``: ask for them with this as ``RegistrySnapshot/devicesAfter``.
        public var devicesNext: String?

        /// A snapshot of these.
        public init(
            version: Int, apps: [AppRecord], keys: [KeyRecord], devices: [DeviceStanding]? = nil,
            devicesNext: String? = nil
        ) {
            self.version = version
            self.apps = apps
            self.keys = keys
            self.devices = devices
            self.devicesNext = devicesNext
        }
    }

    /// Leaves ``Value/devices`` out; absent: they are there.
    public var omitsDevices: Bool?
    /// Asks for the devices behind those of another answer, and for nothing else; as it said.
    public var devicesAfter: String?

    /// A question about everything.
    ///
    /// - Parameters:
    ///   - omitsDevices: or about everything but the devices, which may be many.
    ///   - devicesAfter: or about more devices alone.
    public init(omitsDevices: Bool? = nil, devicesAfter: String? = nil) {
        self.omitsDevices = omitsDevices
        self.devicesAfter = devicesAfter
    }

    /// The registry has one partition.
    public var key: String { "registry" }
}
