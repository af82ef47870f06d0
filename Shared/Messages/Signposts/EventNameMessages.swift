/// Claims names of events for an app before their events are stored. Sent by edges, which wait for the answer only
/// shortly. Key: `<organisation>/<app>`. Fails: `app_unknown` where the registry's news of it have not come yet.
public struct EventNameClaim: Request {
    /// `event-name.claim.v1`
    public static let kind: MessageKind = "event-name.claim.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// Edges.
    public static let authors: [BrokerUser]? = [BrokerUser(of: .attestGateway)]

    /// What became of the names.
    public struct Value: Codable, Sendable, Hashable {
        /// Those that are the app's, from now on or before.
        public var accepted: [EventName]
        /// Those that are not written as names are, for which there is no room, or that the caller may not claim.
        public var rejected: [EventName]
        /// All names of the app as they are then.
        public var book: EventNameBook

        /// A value of these.
        public init(accepted: [EventName], rejected: [EventName], book: EventNameBook) {
            self.accepted = accepted
            self.rejected = rejected
            self.book = book
        }
    }

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The names, the first ones first served.
    public var names: [EventName]
    /// What is known of the caller; absent: nothing.
    public var trust: Trust?

    /// A request of these.
    public init(organisation: OrganisationID, app: AppID, names: [EventName], trust: Trust? = nil) {
        self.organisation = organisation
        self.app = app
        self.names = names
        self.trust = trust
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// The same, but durable: a user's partition has events under names that it does not know. Sent by event-ingest to
/// itself; what comes of it is told by ``EventNameJudged``. Key: `<organisation>/<app>`.
public struct EventNamePropose: Command {
    /// `event-name.propose.v1`
    public static let kind: MessageKind = "event-name.propose.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// Itself.
    public static let authors: [BrokerUser]? = [BrokerUser(of: .eventIngest)]

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The names.
    public var names: [EventName]
    /// What is known of who sent the events; absent: nothing.
    public var trust: Trust?
    /// When the newest of the events was accepted; absent: when this message was.
    public var acceptedAt: Timestamp?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, names: [EventName], trust: Trust? = nil, acceptedAt: Timestamp? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.names = names
        self.trust = trust
        self.acceptedAt = acceptedAt
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// Names of an app were judged: all that it has then. Published by the app's partition of event-ingest, taken by every
/// partition of it, and by edges on queues of their own. Key: `<organisation>/<app>`.
///
/// There is none for a name that was refused: a full book refuses every name that is not in it. Of two of an app that with
/// the higher version counts, whichever comes first.
public struct EventNameJudged: Event {
    /// `event-name.judged.v1`
    public static let kind: MessageKind = "event-name.judged.v1"
    /// The one that keeps events.
    public static let owner = ServiceName.eventIngest
    /// Itself: every partition.
    public static let subscribers: [ServiceName] = [.eventIngest]
    /// Every partition needs it.
    public static let isConfiguration = true

    /// The names as they are now.
    public var book: EventNameBook

    /// An event of this book.
    public init(book: EventNameBook) { self.book = book }

    /// Organisation and app.
    public var key: String { Key.app(book.organisation, book.app) }
}

/// Asks which names an app has used. Sent by the operator's tool and by edges. Key: `<organisation>/<app>`. Refused:
/// `app_unknown`.
public struct EventNameList: Query {
    /// `event-name.list.v1`
    public static let kind: MessageKind = "event-name.list.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// All of them.
    public typealias Value = EventNameBook

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID

    /// A question about an app.
    public init(organisation: OrganisationID, app: AppID) {
        self.organisation = organisation
        self.app = app
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}
