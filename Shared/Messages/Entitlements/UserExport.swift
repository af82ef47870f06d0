/// Asks for all that a user's partition keeps of him, a page at a time. Sent by the operator's tool. Key:
/// `<organisation>/<user>`. Refused: `user_unknown`.
public struct UserExport: Query {
    /// `user.export.v1`
    public static let kind: MessageKind = "user.export.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// A page.
    public typealias Value = UserExportPage

    /// Whose user he is.
    public var organisation: OrganisationID
    /// The user.
    public var user: AppUserID
    /// Where the page before ended.
    public var after: String?

    /// A question about this user.
    public init(organisation: OrganisationID, user: AppUserID, after: String? = nil) {
        self.organisation = organisation
        self.user = user
        self.after = after
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

/// Some of what a user's partition keeps of him.
public struct UserExportPage: Codable, Sendable, Hashable {
    /// One thing that was said of him.
    public struct Fact: Codable, Sendable, Hashable {
        /// `attribute` or `device`.
        public var sort: String
        /// What is said.
        public var name: String
        /// Absent: it has been taken back.
        public var value: AttributeValue?
        /// How well it is founded.
        public var trust: Trust
        /// When it was accepted; with ``message`` its version.
        public var acceptedAt: Timestamp
        /// The message that said it.
        public var message: MessageID

        /// A fact of these.
        public init(
            sort: String, name: String, value: AttributeValue?, trust: Trust, acceptedAt: Timestamp,
            message: MessageID
        ) {
            self.sort = sort
            self.name = name
            self.value = value
            self.trust = trust
            self.acceptedAt = acceptedAt
            self.message = message
        }
    }

    /// A chain that is his, was his, or that he claimed.
    public struct Holding: Codable, Sendable, Hashable {
        /// What it amounts to in one environment, as it was told him last.
        public struct Subscription: Codable, Sendable, Hashable {
            /// Where it happened.
            public var environment: StoreEnvironment
            /// The chain's revision of then.
            public var revision: Int
            /// How strong the claim was.
            public var rank: ClaimRank
            /// All that was bought.
            public var transactions: [StoreTransaction]
            /// What stores said will become of it.
            public var renewals: [StoreRenewal]?

            /// A subscription of these.
            public init(
                environment: StoreEnvironment, revision: Int, rank: ClaimRank, transactions: [StoreTransaction],
                renewals: [StoreRenewal]? = nil
            ) {
                self.environment = environment
                self.revision = revision
                self.rank = rank
                self.transactions = transactions
                self.renewals = renewals
            }
        }

        /// Of a test app, or of the stores.
        public var realm: Realm
        /// The chain.
        public var originalTransactionID: OriginalTransactionID
        /// Whether it is his.
        public var isHeld: Bool
        /// The revision of the newest news of the link; absent: none came.
        public var revision: Int?
        /// How strong the claim behind the link is.
        public var rank: ClaimRank?
        /// Since when the link has been so.
        public var since: Timestamp?
        /// What it amounts to, by environment.
        public var subscriptions: [Subscription]

        /// A holding of these.
        public init(
            realm: Realm, originalTransactionID: OriginalTransactionID, isHeld: Bool, revision: Int?,
            rank: ClaimRank?, since: Timestamp?, subscriptions: [Subscription]
        ) {
            self.realm = realm
            self.originalTransactionID = originalTransactionID
            self.isHeld = isHeld
            self.revision = revision
            self.rank = rank
            self.since = since
            self.subscriptions = subscriptions
        }
    }

    /// A version of something that his side was told, with when it knew it.
    public struct Known: Codable, Sendable, Hashable {
        /// `link`, `subscription`, `transaction` or `renewals`.
        public var sort: String
        /// Of a test app, or of the stores.
        public var realm: Realm
        /// The chain.
        public var originalTransactionID: OriginalTransactionID
        /// Where it happened; absent of links.
        public var environment: StoreEnvironment?
        /// Of a transaction.
        public var transaction: TransactionID?
        /// The chain's revision that told it.
        public var revision: Int
        /// From when on it was known.
        public var knownFrom: Timestamp
        /// Until when it counted; absent: it does.
        public var knownUntil: Timestamp?
        /// What was told, as JSON; absent: that there is nothing any more.
        public var told: String?

        /// A version of these.
        public init(
            sort: String, realm: Realm, originalTransactionID: OriginalTransactionID, environment: StoreEnvironment?,
            transaction: TransactionID?, revision: Int, knownFrom: Timestamp, knownUntil: Timestamp?, told: String?
        ) {
            self.sort = sort
            self.realm = realm
            self.originalTransactionID = originalTransactionID
            self.environment = environment
            self.transaction = transaction
            self.revision = revision
            self.knownFrom = knownFrom
            self.knownUntil = knownUntil
            self.told = told
        }
    }

    /// An entitlement that was told as active.
    public struct Told: Codable, Sendable, Hashable {
        /// In which app.
        public var app: AppID
        /// What was told.
        public var state: EntitlementState

        /// Pairs them.
        public init(app: AppID, state: EntitlementState) {
            self.app = app
            self.state = state
        }
    }

    /// When something named him first.
    public var firstSeen: Timestamp
    /// When something named him last.
    public var lastSeen: Timestamp
    /// By sort and name.
    public var facts: [Fact]
    /// By realm and original transaction.
    public var holdings: [Holding]
    /// By app, environment and entitlement.
    public var told: [Told]
    /// What became known of his chains on his side.
    public var history: [Known]
    /// Give it as ``UserExport/after``; absent on the last page.
    public var next: String?

    /// A page of these.
    public init(
        firstSeen: Timestamp, lastSeen: Timestamp, facts: [Fact] = [], holdings: [Holding] = [], told: [Told] = [],
        history: [Known] = [], next: String? = nil
    ) {
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.facts = facts
        self.holdings = holdings
        self.told = told
        self.history = history
        self.next = next
    }
}
