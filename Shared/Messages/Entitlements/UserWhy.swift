/// Asks why a user has an entitlement, or has not: now or at any other time, by what is known now or was known then. Sent
/// by edges and by the operator's tool, answered by the user's partition. Key: `<organisation>/<user>`.
///
/// The partitions of the chains that the answer names know more: ``ChainHistory``. Refused: `user_unknown`,
/// `app_unknown`.
public struct UserWhy: Query {
    /// `user.why.v1`
    public static let kind: MessageKind = "user.why.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The explanation.
    public typealias Value = UserWhyView

    /// Whose user he is.
    public var organisation: OrganisationID
    /// The app that asks: its mapping decides what a purchase unlocks.
    public var app: AppID
    /// The user.
    public var user: AppUserID
    /// What is to be explained.
    public var entitlement: EntitlementID
    /// Where; absent: production.
    public var environment: StoreEnvironment?
    /// The time asked about, which may be to come; absent: now.
    public var at: Timestamp?
    /// The state of our knowledge; absent: now, and so is what has not come yet.
    public var knownAt: Timestamp?

    /// A question of these.
    public init(
        organisation: OrganisationID, app: AppID, user: AppUserID, entitlement: EntitlementID,
        environment: StoreEnvironment? = nil, at: Timestamp? = nil, knownAt: Timestamp? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.user = user
        self.entitlement = entitlement
        self.environment = environment
        self.at = at
        self.knownAt = knownAt
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

/// Why a user has an entitlement, or has not.
public struct UserWhyView: Codable, Sendable, Hashable {
    /// A chain that ever concerned the user.
    public struct Chain: Codable, Sendable, Hashable {
        /// Of a test app, or of the stores.
        public var realm: Realm
        /// The chain.
        public var originalTransactionID: OriginalTransactionID

        /// Names a chain.
        public init(realm: Realm, originalTransactionID: OriginalTransactionID) {
            self.realm = realm
            self.originalTransactionID = originalTransactionID
        }
    }

    /// The entitlement at ``at``, by what was known at ``knownAt``; not active where nothing speaks for it.
    public var state: EntitlementState
    /// The time that was judged.
    public var at: Timestamp
    /// The state of knowledge by which it was judged.
    public var knownAt: Timestamp
    /// Since when anything is known of the user at all; later than ``knownAt``: nothing was known then.
    public var knownSince: Timestamp
    /// What the user's side knew at ``knownAt``, in the order of ``Timeline/merging(_:)``.
    public var timeline: [TimelineEntry]
    /// The chains that concerned him by ``knownAt``, for ``ChainHistory``; of his app's realm.
    public var chains: [Chain]
    /// There are more entries or chains than are told here; the oldest are left out.
    public var isTruncated: Bool
    /// Whether anything in the app ever unlocked the entitlement, by what was known; looked at only where he never had it.
    public var isUnlockable: Bool?

    /// An explanation of these.
    public init(
        state: EntitlementState, at: Timestamp, knownAt: Timestamp, knownSince: Timestamp,
        timeline: [TimelineEntry] = [], chains: [Chain] = [], isTruncated: Bool = false, isUnlockable: Bool? = nil
    ) {
        self.state = state
        self.at = at
        self.knownAt = knownAt
        self.knownSince = knownSince
        self.timeline = timeline
        self.chains = chains
        self.isTruncated = isTruncated
        self.isUnlockable = isUnlockable
    }
}
