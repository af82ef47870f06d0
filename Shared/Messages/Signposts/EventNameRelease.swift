/// Takes names of an app's events back: what was accepted until then under them is dropped, and they may be claimed again,
/// or others in their place. Sent by the operator's tool. Key: `<organisation>/<app>`. Refused: `too_many_names` for more
/// names than come at once, or than may be taken back (``EventNameBook/mostReleased``).
public struct EventNameRelease: Command {
    /// `event-name.release.v1`
    public static let kind: MessageKind = "event-name.release.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The names as they are then.
    public typealias Value = EventNameBook

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The names.
    public var names: [EventName]

    /// A command of these.
    public init(organisation: OrganisationID, app: AppID, names: [EventName]) {
        self.organisation = organisation
        self.app = app
        self.names = names
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// Says who may claim names for an app's events; what is claimed already everybody may use. Sent by the operator's tool.
/// Key: `<organisation>/<app>`. Of two the one that was accepted last counts.
public struct EventNameRule: Command {
    /// `event-name.rule.v1`
    public static let kind: MessageKind = "event-name.rule.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The names as they are then.
    public typealias Value = EventNameBook

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// `attested`: attested callers alone; absent: anybody.
    public var claims: Trust?

    /// A command of these.
    public init(organisation: OrganisationID, app: AppID, claims: Trust?) {
        self.organisation = organisation
        self.app = app
        self.claims = claims
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}

/// Asks a partition how many events it keeps under each name of an app. Sent by the operator's tool. Refused:
/// `app_unknown`.
public struct EventNameUsage: Query, NamingPartition {
    /// `event-name.usage.v1`
    public static let kind: MessageKind = "event-name.usage.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]

    /// How many events there are under a name.
    public struct Value: Codable, Sendable, Hashable {
        /// A name, and its events.
        public struct Count: Codable, Sendable, Hashable {
            /// The name.
            public var name: EventName
            /// What attested callers sent.
            public var attested: Int
            /// What others sent.
            public var unverified: Int

            /// A count of these.
            public init(name: EventName, attested: Int, unverified: Int) {
                self.name = name
                self.attested = attested
                self.unverified = unverified
            }
        }

        /// Of names that have any.
        public var counts: [Count]

        /// A value of these.
        public init(counts: [Count]) { self.counts = counts }
    }

    /// Which partition.
    public var partition: Int
    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID

    /// A question to this partition.
    public init(partition: Int, organisation: OrganisationID, app: AppID) {
        self.partition = partition
        self.organisation = organisation
        self.app = app
    }
}
