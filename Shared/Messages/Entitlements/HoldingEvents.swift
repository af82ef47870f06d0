/// A user has got or lost a transaction, or has claimed it and not got it. Published by the transaction's partition of
/// entitlement-resolver, one for each user concerned, and taken by the user's. Key: `<organisation>/<user>`.
public struct LinkChanged: Event {
    /// `link.changed.v1`
    public static let kind: MessageKind = "link.changed.v1"
    /// The resolver.
    public static let owner = ServiceName.entitlementResolver
    /// The resolver itself: the user's partition.
    public static let subscribers: [ServiceName] = [.entitlementResolver]

    /// Whose user he is.
    public var organisation: OrganisationID
    /// Of a test app, or of the stores.
    public var realm: Realm
    /// The transaction.
    public var originalTransactionID: OriginalTransactionID
    /// The user concerned.
    public var user: AppUserID
    /// Whether it is his now.
    public var isHeld: Bool
    /// How strong the claim behind the link is.
    public var rank: ClaimRank
    /// Raised by the transaction's partition with every change of the link or of what it holds; the highest counts.
    public var revision: Int
    /// Since when the link has been so: the `accepted_at` of the claim.
    public var since: Timestamp
    /// Why it is not his, where it is not: `outranked`, `anonymous`, `kept`, `still_active`, `moved`, `pinned`. A release
    /// that did not know reasons gives none.
    public var reason: TimelineEntry.Reason?
    /// The `accepted_at` of the user's newest claim: what he claimed before his erasure does not bring him back. A release
    /// that did not know erasures gives none.
    public var claimedAt: Timestamp?

    /// An event of these.
    public init(
        organisation: OrganisationID, realm: Realm, originalTransactionID: OriginalTransactionID, user: AppUserID,
        isHeld: Bool, rank: ClaimRank, revision: Int, since: Timestamp, reason: TimelineEntry.Reason? = nil,
        claimedAt: Timestamp? = nil
    ) {
        self.organisation = organisation
        self.realm = realm
        self.originalTransactionID = originalTransactionID
        self.user = user
        self.isHeld = isHeld
        self.rank = rank
        self.revision = revision
        self.since = since
        self.reason = reason
        self.claimedAt = claimedAt
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

/// What a user's transaction amounts to now: the whole of it, after every change. Published by the transaction's
/// partition of entitlement-resolver, taken by the user's. Key: `<organisation>/<user>`.
public struct SubscriptionChanged: Event {
    /// `subscription.changed.v1`
    public static let kind: MessageKind = "subscription.changed.v1"
    /// The resolver.
    public static let owner = ServiceName.entitlementResolver
    /// The resolver itself: the user's partition.
    public static let subscribers: [ServiceName] = [.entitlementResolver]

    /// Whose user he is.
    public var organisation: OrganisationID
    /// Of a test app, or of the stores.
    public var realm: Realm
    /// Where it happened.
    public var environment: StoreEnvironment
    /// The chain.
    public var originalTransactionID: OriginalTransactionID
    /// Who holds it.
    public var user: AppUserID
    /// How strong the claim behind the link is.
    public var rank: ClaimRank
    /// As in ``LinkChanged``.
    public var revision: Int
    /// Every transaction of the chain, the newest evidence of each, by purchase date.
    public var transactions: [StoreTransaction]
    /// What the store has said will become of it, as far as it matters: the newest, and of each grace period that there
    /// was the newest and what ended it early, oldest first; absent: nothing is known.
    public var renewals: [StoreRenewal]?
    /// As in ``LinkChanged``.
    public var claimedAt: Timestamp?
    /// The app in which it was bought; absent: nothing of it counts, or a release that did not tell.
    public var app: AppID?

    /// An event of these; the app is not told.
    public init(
        organisation: OrganisationID, realm: Realm, environment: StoreEnvironment,
        originalTransactionID: OriginalTransactionID, user: AppUserID, rank: ClaimRank, revision: Int,
        transactions: [StoreTransaction], renewals: [StoreRenewal]? = nil, claimedAt: Timestamp? = nil
    ) {
        self.organisation = organisation
        self.realm = realm
        self.environment = environment
        self.originalTransactionID = originalTransactionID
        self.user = user
        self.rank = rank
        self.revision = revision
        self.transactions = transactions
        self.renewals = renewals
        self.claimedAt = claimedAt
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

/// What a user may use has changed, because something happened or because time passed an expiry. Published by the
/// user's partition of entitlement-resolver, once per app. Key: `<organisation>/<user>`.
public struct EntitlementChanged: Event {
    /// `entitlement.changed.v1`
    public static let kind: MessageKind = "entitlement.changed.v1"
    /// The resolver.
    public static let owner = ServiceName.entitlementResolver
    /// None yet.
    public static let subscribers: [ServiceName] = []

    /// Whose user he is.
    public var organisation: OrganisationID
    /// The app in which it unlocks something.
    public var app: AppID
    /// The user.
    public var user: AppUserID
    /// The entitlement as it is now.
    public var entitlement: EntitlementState

    /// An event of these.
    public init(organisation: OrganisationID, app: AppID, user: AppUserID, entitlement: EntitlementState) {
        self.organisation = organisation
        self.app = app
        self.user = user
        self.entitlement = entitlement
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

/// One entitlement of one user in one app and environment, at a point in time.
public struct EntitlementState: Codable, Sendable, Hashable {
    /// What it unlocks.
    public var entitlement: EntitlementID
    /// Where.
    public var environment: StoreEnvironment
    /// Whether it is unlocked.
    public var isActive: Bool
    /// Since when, where it is active.
    public var since: Timestamp?
    /// Until when, where it is active and runs out; where it is not, when it ran out.
    public var until: Timestamp?
    /// The transaction that decides it.
    public var transaction: TransactionID?
    /// What was bought.
    public var product: ProductID?
    /// How well the link to the user is founded.
    public var trust: Trust
    /// From a test app's own root.
    public var isTest: Bool
    /// Why it is active, or is so no longer; absent: it is not his any more, or nothing has told.
    public var reason: EntitlementReason?
    /// Whether what decides it is going to renew; absent: it does not renew, or nothing has told.
    public var willRenew: Bool?
    /// As what it is going to renew.
    public var renewsAs: ProductID?

    /// A state of these.
    public init(
        entitlement: EntitlementID, environment: StoreEnvironment, isActive: Bool, since: Timestamp? = nil,
        until: Timestamp? = nil, transaction: TransactionID? = nil, product: ProductID? = nil, trust: Trust,
        isTest: Bool, reason: EntitlementReason? = nil, willRenew: Bool? = nil, renewsAs: ProductID? = nil
    ) {
        self.entitlement = entitlement
        self.environment = environment
        self.isActive = isActive
        self.since = since
        self.until = until
        self.transaction = transaction
        self.product = product
        self.trust = trust
        self.isTest = isTest
        self.reason = reason
        self.willRenew = willRenew
        self.renewsAs = renewsAs
    }
}
