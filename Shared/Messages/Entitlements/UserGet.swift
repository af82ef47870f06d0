/// Asks for a user as one app sees him. Sent by edges and by the operator's tool. Key: `<organisation>/<user>`.
///
/// Refused: `user_unknown`, `app_unknown`.
public struct UserGet: Query {
    /// `user.get.v1`
    public static let kind: MessageKind = "user.get.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The user.
    public typealias Value = UserView

    /// Whose user he is.
    public var organisation: OrganisationID
    /// The app that asks: its mapping decides what a purchase unlocks.
    public var app: AppID
    /// The user.
    public var user: AppUserID
    /// Where; production unless given.
    public var environment: StoreEnvironment

    /// A question of these.
    public init(
        organisation: OrganisationID, app: AppID, user: AppUserID, environment: StoreEnvironment = .production
    ) {
        self.organisation = organisation
        self.app = app
        self.user = user
        self.environment = environment
    }

    /// With or without an environment.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        organisation = try container.decode(OrganisationID.self, forKey: .organisation)
        app = try container.decode(AppID.self, forKey: .app)
        user = try container.decode(AppUserID.self, forKey: .user)
        environment = try container.decodeIfPresent(StoreEnvironment.self, forKey: .environment) ?? .production
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

/// A user as one app sees him, in one environment, at the time of the answer.
public struct UserView: Codable, Sendable, Hashable {
    /// Who he is.
    public struct Customer: Codable, Sendable, Hashable {
        /// The user as the app names him.
        public var user: AppUserID
        /// When something named him first.
        public var firstSeen: Timestamp
        /// When something named him last.
        public var lastSeen: Timestamp
        /// `ios` or `android`.
        public var platform: String?
        /// As the device said.
        public var osVersion: String?
        /// As the device said.
        public var deviceModel: String?
        /// As the device said.
        public var locale: String?
        /// What apps said of him.
        public var attributes: [String: AttributeValue]
        /// How well the newest of these is founded; where nobody has told any, how well it is that he was named.
        public var trust: Trust

        /// A customer of these.
        public init(
            user: AppUserID, firstSeen: Timestamp, lastSeen: Timestamp, platform: String? = nil,
            osVersion: String? = nil, deviceModel: String? = nil, locale: String? = nil,
            attributes: [String: AttributeValue] = [:], trust: Trust
        ) {
            self.user = user
            self.firstSeen = firstSeen
            self.lastSeen = lastSeen
            self.platform = platform
            self.osVersion = osVersion
            self.deviceModel = deviceModel
            self.locale = locale
            self.attributes = attributes
            self.trust = trust
        }
    }

    /// A transaction that is his, and how well that is founded.
    public struct HeldTransaction: Codable, Sendable, Hashable {
        /// The first transaction of the chain.
        public var originalTransactionID: OriginalTransactionID
        /// The newest of the chain; absent while nothing signed is known.
        public var latest: StoreTransaction?
        /// How many transactions of the chain are known.
        public var count: Int
        /// How well the link is founded.
        public var trust: Trust
        /// Since when it is his.
        public var since: Timestamp
        /// Of a test app.
        public var isTest: Bool

        /// A held transaction of these.
        public init(
            originalTransactionID: OriginalTransactionID, latest: StoreTransaction?, count: Int, trust: Trust,
            since: Timestamp, isTest: Bool
        ) {
            self.originalTransactionID = originalTransactionID
            self.latest = latest
            self.count = count
            self.trust = trust
            self.since = since
            self.isTest = isTest
        }
    }

    /// Who he is.
    public var customer: Customer
    /// What he holds, by original transaction.
    public var transactions: [HeldTransaction]
    /// What that unlocks, by name; what ran out is there as inactive.
    public var entitlements: [EntitlementState]
    /// The app that asked is a test app.
    public var isTest: Bool

    /// A view of these.
    public init(
        customer: Customer, transactions: [HeldTransaction], entitlements: [EntitlementState], isTest: Bool
    ) {
        self.customer = customer
        self.transactions = transactions
        self.entitlements = entitlements
        self.isTest = isTest
    }
}

/// Asks a partition which transactions its users hold, a page at a time; `tollgate reconcile` compares all partitions.
public struct HoldingsPage: Query, NamingPartition {
    /// `holdings.page.v1`
    public static let kind: MessageKind = "holdings.page.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver

    /// Up to 5,000 holdings, and where to go on.
    public struct Value: Codable, Sendable, Hashable {
        /// One transaction and its holder.
        public struct Holding: Codable, Sendable, Hashable {
            /// `<organisation>/<realm>/<originalTransactionID>`.
            public var transaction: String
            /// Who holds it.
            public var user: AppUserID

            /// Pairs them.
            public init(transaction: String, user: AppUserID) {
                self.transaction = transaction
                self.user = user
            }
        }
        /// In the order of the store.
        public var holdings: [Holding]
        /// Give it as ``HoldingsPage/after``; absent on the last page.
        public var next: Int64?

        /// A page of these.
        public init(holdings: [Holding], next: Int64?) {
            self.holdings = holdings
            self.next = next
        }
    }

    /// Which partition.
    public var partition: Int
    /// Where the page before ended.
    public var after: Int64?

    /// A question to this partition.
    public init(partition: Int, after: Int64? = nil) {
        self.partition = partition
        self.after = after
    }
}
