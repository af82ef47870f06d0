/// Asks a partition which chains more than one user has claimed lately, a page at a time. Sent by the operator's tool.
///
/// A chain is contested where, since ``since``, a claim of another than its holder was denied, or a claim has taken it
/// from somebody.
public struct LinksContested: Query, NamingPartition {
    /// `links.contested.v1`
    public static let kind: MessageKind = "links.contested.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]

    /// Up to 500 claims, oldest first, and where to go on.
    public struct Value: Codable, Sendable, Hashable {
        /// A claim that was denied, or that has taken a chain from another, and whose the chain is now.
        public struct Contest: Codable, Sendable, Hashable {
            /// Whose apps they are.
            public var organisation: OrganisationID
            /// Of a test app, or of the stores.
            public var realm: Realm
            /// The chain.
            public var originalTransactionID: OriginalTransactionID
            /// The claim.
            public var claim: ChainHistoryView.Claim
            /// Whose the chain is; absent: nobody's.
            public var link: ChainHistoryView.Link?
            /// From whom the claim took it; absent: from nobody.
            public var takenFrom: AppUserID?

            /// A contest of these.
            public init(
                organisation: OrganisationID, realm: Realm, originalTransactionID: OriginalTransactionID,
                claim: ChainHistoryView.Claim, link: ChainHistoryView.Link?, takenFrom: AppUserID? = nil
            ) {
                self.organisation = organisation
                self.realm = realm
                self.originalTransactionID = originalTransactionID
                self.claim = claim
                self.link = link
                self.takenFrom = takenFrom
            }
        }

        /// By time.
        public var contests: [Contest]
        /// Give it as ``LinksContested/after``; absent on the last page.
        public var next: String?

        /// A page of these.
        public init(contests: [Contest], next: String?) {
            self.contests = contests
            self.next = next
        }
    }

    /// Which partition.
    public var partition: Int
    /// Only claims accepted then or later.
    public var since: Timestamp
    /// Where the page before ended.
    public var after: String?
    /// Only chains of one organisation.
    public var organisation: OrganisationID?
    /// Only claims made through one app.
    public var app: AppID?

    /// A question to this partition.
    public init(
        partition: Int, since: Timestamp, after: String? = nil, organisation: OrganisationID? = nil, app: AppID? = nil
    ) {
        self.partition = partition
        self.since = since
        self.after = after
        self.organisation = organisation
        self.app = app
    }
}

/// Tells users again what a partition has told them of their links and subscriptions, under the revisions of then. Sent by
/// the operator's tool, a page at a time.
public struct LinksResend: Request, NamingPartition {
    /// `links.resend.v1`
    public static let kind: MessageKind = "links.resend.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]

    /// How far it has come.
    public struct Value: Codable, Sendable, Hashable {
        /// How many links were looked at.
        public var looked: Int
        /// How many of them were told again.
        public var sent: Int
        /// Give it as ``LinksResend/after``; absent where nothing is left.
        public var next: Int64?

        /// A page of these.
        public init(looked: Int, sent: Int, next: Int64?) {
            self.looked = looked
            self.sent = sent
            self.next = next
        }
    }

    /// Which partition.
    public var partition: Int
    /// Where the page before ended.
    public var after: Int64?
    /// How many links to look at, up to 500.
    public var limit: Int
    /// Only those of one organisation.
    public var organisation: OrganisationID?
    /// Only those of chains that were claimed through one app.
    public var app: AppID?
    /// Only those of one chain.
    public var originalTransactionID: OriginalTransactionID?
    /// Who has it done, for the audit trail.
    public var by: String
    /// The same for all pages of one run.
    public var run: MessageID

    /// A request to this partition.
    public init(
        partition: Int, after: Int64? = nil, limit: Int = 200, organisation: OrganisationID? = nil,
        app: AppID? = nil, originalTransactionID: OriginalTransactionID? = nil, by: String, run: MessageID
    ) {
        self.partition = partition
        self.after = after
        self.limit = limit
        self.organisation = organisation
        self.app = app
        self.originalTransactionID = originalTransactionID
        self.by = by
        self.run = run
    }
}
