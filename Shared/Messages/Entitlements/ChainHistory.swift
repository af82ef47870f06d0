/// Asks for all that is known of one chain: who claimed it, whose it was, and what stores signed about it. Sent by edges
/// and by the operator's tool, answered by the transaction's partition. Key: `<organisation>/<originalTransactionID>`.
///
/// A chain of which nothing is known has an empty history; nothing is refused.
public struct ChainHistory: Query {
    /// `chain.history.v1`
    public static let kind: MessageKind = "chain.history.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The history.
    public typealias Value = ChainHistoryView

    /// Whose app it is.
    public var organisation: OrganisationID
    /// Of a test app, or of the stores.
    public var realm: Realm
    /// The chain.
    public var originalTransactionID: OriginalTransactionID
    /// The state of our knowledge; absent: now. What became known later is left out.
    public var knownAt: Timestamp?

    /// A question about this chain.
    public init(
        organisation: OrganisationID, realm: Realm, originalTransactionID: OriginalTransactionID,
        knownAt: Timestamp? = nil
    ) {
        self.organisation = organisation
        self.realm = realm
        self.originalTransactionID = originalTransactionID
        self.knownAt = knownAt
    }

    /// Organisation and original transaction.
    public var key: String { Key.transaction(organisation, originalTransactionID) }
}

/// What the transaction's side knows of a chain.
public struct ChainHistoryView: Codable, Sendable, Hashable {
    /// Whose the chain is, or was at the time asked about.
    public struct Link: Codable, Sendable, Hashable {
        /// The user.
        public var user: AppUserID
        /// How strong the claim behind it is.
        public var rank: ClaimRank
        /// The `accepted_at` of the claim that brought it to him.
        public var since: Timestamp
        /// The chain's revision that made it so.
        public var revision: Int

        /// A link of these.
        public init(user: AppUserID, rank: ClaimRank, since: Timestamp, revision: Int) {
            self.user = user
            self.rank = rank
            self.since = since
            self.revision = revision
        }
    }

    /// Somebody said that the chain is a user's, and what came of it.
    public struct Claim: Codable, Sendable, Hashable {
        /// What a claim did, as a stable code: `established`, `raised`, `repeated`, `moved`, `moved_inactive`,
        /// `outranked`, `anonymous`, `kept`, `still_active`, of an operator's word `pinned` and `unpinned`, and what later
        /// releases add.
        public struct Outcome: TextIdentifier {
            /// `snake_case`
            public let rawValue: String
            /// Takes the text as it is.
            public init(rawValue: String) { self.rawValue = rawValue }
        }

        /// When the edge took it; with ``message`` its place among the others.
        public var acceptedAt: Timestamp
        /// The claim's message.
        public var message: MessageID
        /// Through which app.
        public var app: AppID
        /// For whom; empty: he has been erased, or, of `unpinned`, for nobody.
        public var user: AppUserID
        /// How strong it is, as things stand.
        public var rank: ClaimRank
        /// The app's policy when it was accepted.
        public var policy: LinkMovePolicy
        /// What it did.
        public var outcome: Outcome
        /// When we took it in; absent: by a release that did not note it.
        public var knownAt: Timestamp?
        /// The artifact that it rests on; absent: on none.
        public var digest: ArtifactDigest?
        /// How strong it was, where the artifact that it rested on counts no more.
        public var rankBefore: ClaimRank?

        /// A claim of these.
        public init(
            acceptedAt: Timestamp, message: MessageID, app: AppID, user: AppUserID, rank: ClaimRank,
            policy: LinkMovePolicy, outcome: Outcome, knownAt: Timestamp? = nil, digest: ArtifactDigest? = nil,
            rankBefore: ClaimRank? = nil
        ) {
            self.acceptedAt = acceptedAt
            self.message = message
            self.app = app
            self.user = user
            self.rank = rank
            self.policy = policy
            self.outcome = outcome
            self.knownAt = knownAt
            self.digest = digest
            self.rankBefore = rankBefore
        }
    }

    /// Absent: nobody's.
    public var link: Link?
    /// In the order of their versions.
    public var claims: [Claim]
    /// Links won and lost, claims, and what stores signed, in the order of ``Timeline/merging(_:)``, without effects.
    public var entries: [TimelineEntry]
    /// There is more than is told here; the oldest is left out.
    public var isTruncated: Bool

    /// A history of these.
    public init(link: Link? = nil, claims: [Claim] = [], entries: [TimelineEntry] = [], isTruncated: Bool = false) {
        self.link = link
        self.claims = claims
        self.entries = entries
        self.isTruncated = isTruncated
    }
}
