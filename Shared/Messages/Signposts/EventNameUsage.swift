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
