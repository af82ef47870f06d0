/// Forgets a user: all that was said of him up to now, and whose his chains were. Sent by the operator's tool. Key:
/// `<organisation>/<user>`.
///
/// What was accepted up to the command's `accepted_at` and comes later does not bring him back; what is accepted after it
/// does. The transactions stay.
public struct UserErase: Command {
    /// `user.erase.v1`
    public static let kind: MessageKind = "user.erase.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]

    /// What was taken out on the user's side.
    public struct Value: Codable, Sendable, Hashable {
        /// Rows by table.
        public var rows: [String: Int]
        /// Up to when he is forgotten.
        public var erasedAt: Timestamp

        /// A value of these.
        public init(rows: [String: Int], erasedAt: Timestamp) {
            self.rows = rows
            self.erasedAt = erasedAt
        }
    }

    /// Whose user he is.
    public var organisation: OrganisationID
    /// The user.
    public var user: AppUserID
    /// Who has it done, for the audit trail, which does not name the user.
    public var by: String
    /// Why.
    public var why: String?

    /// A command of these.
    public init(organisation: OrganisationID, user: AppUserID, by: String, why: String? = nil) {
        self.organisation = organisation
        self.user = user
        self.by = by
        self.why = why
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

/// A user is to be forgotten wherever something names him. Published by the user's partition of entitlement-resolver, taken
/// by every partition of each service that keeps something of users: any of them may name him. Key:
/// `<organisation>/<user>`.
public struct UserErased: Event {
    /// `user.erased.v1`
    public static let kind: MessageKind = "user.erased.v1"
    /// The resolver.
    public static let owner = ServiceName.entitlementResolver
    /// All that keep something of users: every partition.
    public static let subscribers: [ServiceName] = [.entitlementResolver, .paywallExperiments, .eventIngest]
    /// Every partition needs it.
    public static let isConfiguration = true

    /// Whose user he was.
    public var organisation: OrganisationID
    /// The user.
    public var user: AppUserID
    /// Up to when he is forgotten.
    public var erasedAt: Timestamp
    /// The command; stands where he was named.
    public var erasure: MessageID

    /// An event of these.
    public init(organisation: OrganisationID, user: AppUserID, erasedAt: Timestamp, erasure: MessageID) {
        self.organisation = organisation
        self.user = user
        self.erasedAt = erasedAt
        self.erasure = erasure
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}

/// Asks a partition where it names a user. Sent by the operator's tool.
public struct UserTraces: Query, NamingPartition {
    /// `user.traces.v1`
    public static let kind: MessageKind = "user.traces.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]

    /// Where a partition names a user.
    public struct Value: Codable, Sendable, Hashable {
        /// Rows by table; without those that have none.
        public var rows: [String: Int]
        /// Up to when he was forgotten last; absent: he was not.
        public var erasedAt: Timestamp?
        /// Whether some of that is still to be done.
        public var isPending: Bool

        /// A value of these.
        public init(rows: [String: Int], erasedAt: Timestamp?, isPending: Bool) {
            self.rows = rows
            self.erasedAt = erasedAt
            self.isPending = isPending
        }
    }

    /// Which partition.
    public var partition: Int
    /// Whose user he is.
    public var organisation: OrganisationID
    /// The user.
    public var user: AppUserID

    /// A question to this partition.
    public init(partition: Int, organisation: OrganisationID, user: AppUserID) {
        self.partition = partition
        self.organisation = organisation
        self.user = user
    }
}
