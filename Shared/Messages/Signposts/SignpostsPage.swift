/// Asks a partition for events as they were stored, a page at a time: the newest first, or what came since. Sent by the
/// operator's tool and by edges.
public struct SignpostsPage: Query, NamingPartition {
    /// `signposts.page.v1`
    public static let kind: MessageKind = "signposts.page.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// The operator, and edges for servers.
    public static let authors: [BrokerUser]? = [.operatorTool, BrokerUser(of: .attestGateway)]

    /// Some events, and where to go on.
    public struct Value: Codable, Sendable, Hashable {
        /// May be fewer than were asked for, or none, before the last page.
        public var events: [StoredEvent]
        /// Give it as ``SignpostsPage/after`` to go on; absent where there are no more, going back.
        public var next: String?
        /// How many partitions there are.
        public var partitions: Int

        /// A page of these.
        public init(events: [StoredEvent], next: String?, partitions: Int) {
            self.events = events
            self.next = next
            self.partitions = partitions
        }
    }

    /// Which partition.
    public var partition: Int
    /// Only those of one organisation.
    public var organisation: OrganisationID?
    /// Only those of one app.
    public var app: AppID?
    /// Only those of one user.
    public var user: AppUserID?
    /// Only those of one name.
    public var name: EventName?
    /// Where the page before ended. Absent: from the newest on back; with ``isForward``: nothing yet, only where the
    /// newest is.
    public var after: String?
    /// Those that were stored later, the oldest first; absent: those that were stored earlier, the newest first.
    public var isForward: Bool?
    /// How many at most, 1 to 500; absent: 100.
    public var limit: Int?

    /// A question about all of them.
    public init(partition: Int, after: String? = nil) {
        self.partition = partition
        self.after = after
    }
}

/// An event as it is kept.
public struct StoredEvent: Codable, Sendable, Hashable {
    /// Whose user it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The user.
    public var user: AppUserID
    /// What happened.
    public var name: EventName
    /// The caller's own id for it.
    public var id: String?
    /// When it happened, as far as that is believed.
    public var at: Timestamp
    /// When it happened, as the caller wrote it.
    public var sentAt: String?
    /// What the app says about it.
    public var properties: [String: AttributeValue]?
    /// What is known of the caller.
    public var trust: Trust
    /// When it was accepted.
    public var acceptedAt: Timestamp
    /// When it was stored.
    public var storedAt: Timestamp
    /// The message that brought it.
    public var message: MessageID
    /// Where it is among the others of its partition: the higher, the later it was stored. Absent in exports.
    public var place: Int64?
    /// True: another row tells of the same event, by a better word or later, so that this one is neither shown nor counted;
    /// only exports have such ones. Absent: it is what counts.
    public var isOvertaken: Bool?

    /// An event of these.
    public init(
        organisation: OrganisationID, app: AppID, user: AppUserID, name: EventName, id: String?, at: Timestamp,
        sentAt: String?, properties: [String: AttributeValue]?, trust: Trust, acceptedAt: Timestamp,
        storedAt: Timestamp, message: MessageID, place: Int64? = nil, isOvertaken: Bool? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.user = user
        self.name = name
        self.id = id
        self.at = at
        self.sentAt = sentAt
        self.properties = properties
        self.trust = trust
        self.acceptedAt = acceptedAt
        self.storedAt = storedAt
        self.message = message
        self.place = place
        self.isOvertaken = isOvertaken
    }
}
