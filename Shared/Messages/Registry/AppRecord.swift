/// What an installation knows of an app. Kept by the registry, projected by every other service.
public struct AppRecord: Codable, Sendable, Hashable {
    /// Whose app it is.
    public var organisation: OrganisationID
    /// Its bundle id.
    public var app: AppID
    /// DER of the roots that sign this app's test evidence, in base64; an app that has any accepts no store's root,
    /// is a test app for ever, and every answer about it says so.
    public var testRoots: [String]
    /// What a claim of the same rank does to a link.
    public var linkMovePolicy: LinkMovePolicy
    /// Whether a link that nobody has verified grants entitlements.
    public var unverifiedLinksGrant: Bool
    /// SubjectPublicKeyInfo in DER, in base64, of the RSA keys that sign this app's purchases at Google Play or
    /// AppCoins, several while one takes over from another; absent: none, and no purchase can be verified.
    public var purchaseKeys: [String]?
    /// Of the developer at Apple: with the bundle id it is what App Attest calls the app; absent: not told yet.
    public var teamID: TeamID?
    /// The number by which Apple knows the app (`appAppleId` of its notifications); absent: not told, not compared.
    public var appleID: Int64?
    /// The secrets in the path to which Apple's server sends notifications, by digest, the newest first; absent: none.
    public var notificationTokens: [NotificationToken]?
    /// Which of App Attest's services may vouch for its devices; absent: production alone.
    public var attestEnvironments: [AttestEnvironment]?
    /// Of its callers, where they are not the installation's; absent: all are.
    public var limits: AppLimits?
    /// Raised with every change of the registry; the higher one is the newer one.
    public var version: Int
    /// When it was changed last.
    public var changedAt: Timestamp

    /// A record of these.
    public init(
        organisation: OrganisationID, app: AppID, testRoots: [String] = [], linkMovePolicy: LinkMovePolicy = .move,
        unverifiedLinksGrant: Bool = false, purchaseKeys: [String]? = nil, teamID: TeamID? = nil,
        appleID: Int64? = nil, notificationTokens: [NotificationToken]? = nil,
        attestEnvironments: [AttestEnvironment]? = nil, limits: AppLimits? = nil, version: Int, changedAt: Timestamp
    ) {
        self.organisation = organisation
        self.app = app
        self.testRoots = testRoots
        self.linkMovePolicy = linkMovePolicy
        self.unverifiedLinksGrant = unverifiedLinksGrant
        self.purchaseKeys = purchaseKeys
        self.teamID = teamID
        self.appleID = appleID
        self.notificationTokens = notificationTokens
        self.attestEnvironments = attestEnvironments
        self.limits = limits
        self.version = version
        self.changedAt = changedAt
    }

    /// Whether its evidence is signed by a root of its own.
    public var isTest: Bool { !testRoots.isEmpty }

    /// Which of App Attest's services may vouch for its devices.
    public var acceptedEnvironments: Set<AttestEnvironment> { Set(attestEnvironments ?? [.production]) }

    /// Links and subscriptions of test apps are kept apart from everybody else's: the app's name, or nothing.
    public var realm: Realm { Realm(isTest ? app : nil) }
}

/// How much the callers of one app may do in a minute; what is absent is as the installation has it.
public struct AppLimits: Codable, Sendable, Hashable {
    /// Writes with a device token, of the app.
    public var attestedPerMinute: Int?
    /// Writes of one device, or install, without a token.
    public var devicePerMinute: Int?
    /// Writes from one client address without a token.
    public var addressPerMinute: Int?
    /// Different users that are named without a token.
    public var usersPerMinute: Int?

    /// What a limit may be set to; 0 makes it the installation's again.
    public static let possible = 0...1_000_000
    /// What a good one looks like; said when one is not.
    public static let expectation = "1 to 1000000, or 0 for that of the installation"

    /// Those that are set.
    public var all: [Int] {
        [attestedPerMinute, devicePerMinute, addressPerMinute, usersPerMinute].compactMap { $0 }
    }

    /// Limits of these.
    public init(
        attestedPerMinute: Int? = nil, devicePerMinute: Int? = nil, addressPerMinute: Int? = nil,
        usersPerMinute: Int? = nil
    ) {
        self.attestedPerMinute = attestedPerMinute
        self.devicePerMinute = devicePerMinute
        self.addressPerMinute = addressPerMinute
        self.usersPerMinute = usersPerMinute
    }
}

/// A secret in the path that Apple's server calls. The secret itself is known to the operator and to Apple alone.
public struct NotificationToken: Codable, Sendable, Hashable {
    /// SHA-256 of the secret, in lower-case hexadecimal.
    public var digest: String
    /// From when on it is as good as unknown: a newer one has taken over. Absent: for ever.
    public var until: Timestamp?

    /// A token of this digest.
    public init(digest: String, until: Timestamp? = nil) {
        self.digest = digest
        self.until = until
    }

    /// Whether it is taken at `now`.
    public func isGood(at now: Timestamp) -> Bool { until.map { now < $0 } ?? true }
}

/// Keeps the evidence of each test app apart from that of the stores, within an organisation.
public struct Realm: TextIdentifier {
    /// A test app's bundle id, or empty.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The realm of a test app, or that of the stores.
    public init(_ testApp: AppID?) { rawValue = testApp?.rawValue ?? "" }

    /// What the stores signed.
    public static let stores = Realm(rawValue: "")
}

/// A key with which a server asks; the secret is known to its holder alone.
public struct KeyRecord: Codable, Sendable, Hashable {
    /// What a key may do.
    public struct Scope: TextIdentifier {
        /// The text.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Look.
        public static let read = Scope(rawValue: "read")
        /// Look and change what belongs to users.
        public static let write = Scope(rawValue: "write")
        /// Everything.
        public static let admin = Scope(rawValue: "admin")
        /// All scopes, each allowing what the ones before it allow.
        public static let all = [read, write, admin]
    }

    /// Whose data it opens.
    public var organisation: OrganisationID
    /// Its name in lists.
    public var id: KeyID
    /// SHA-256 of the secret, in lower-case hexadecimal.
    public var digest: String
    /// What it may do.
    public var scope: Scope
    /// Since when.
    public var addedAt: Timestamp
    /// From when on it is refused.
    public var revokedAt: Timestamp?
    /// Raised with every change of the registry.
    public var version: Int

    /// A record of these.
    public init(
        organisation: OrganisationID, id: KeyID, digest: String, scope: Scope, addedAt: Timestamp,
        revokedAt: Timestamp? = nil, version: Int
    ) {
        self.organisation = organisation
        self.id = id
        self.digest = digest
        self.scope = scope
        self.addedAt = addedAt
        self.revokedAt = revokedAt
        self.version = version
    }
}
