/// What one edge has let through since it said so last. Published by edges, at most once a second; taken by every other
/// edge on a queue of its own, so that limits hold over all of them together. Key: the edge.
///
/// Transient: one that is lost is not sent again. Callers and users are named by the first 8 bytes of a SHA-256, in
/// hexadecimal; only those that have used a part of their limit worth telling are in it, the nearest to it first, and
/// never more than ``most``.
public struct EdgeCounts: Event {
    /// `edge.counts.v1`
    public static let kind: MessageKind = "edge.counts.v1"
    /// Edges.
    public static let owner = ServiceName.attestGateway
    /// None but the other edges.
    public static let subscribers: [ServiceName] = []

    /// How many callers one message names at most, and how many users.
    public static let most = 2000

    /// What was let through.
    public struct Admitted: Codable, Sendable, Hashable {
        /// How many writes, by the limit that counts them and by the caller. Limits that a reader does not know, it
        /// passes over.
        public var writes: [String: [String: Int]]?
        /// Users who were named for the first time in a minute, by app.
        public var users: [String: [String]]?

        /// Of these.
        public init(writes: [String: [String: Int]]? = nil, users: [String: [String]]? = nil) {
            self.writes = writes
            self.users = users
        }
    }

    /// Notifications of an app that were refused on a day.
    public struct Refused: Codable, Sendable, Hashable {
        /// Whose app it is.
        public var organisation: OrganisationID
        /// Its bundle id.
        public var app: AppID
        /// Days since 1970, by UTC.
        public var day: Int64
        /// How many the edge has heard of.
        public var count: Int

        /// Of these.
        public init(organisation: OrganisationID, app: AppID, day: Int64, count: Int) {
            self.organisation = organisation
            self.app = app
            self.day = day
            self.count = count
        }
    }

    /// One run of an edge. Whoever has said nothing for some seconds is taken for gone.
    public var edge: String
    /// True in the first message of a run: its edge wishes to know what the others have counted.
    public var isNew: Bool?
    /// Since the message before. Absent: nothing to tell, but the edge is alive.
    public var admitted: Admitted?
    /// Edges whose first message has just been heard; ``minute`` and ``refused`` are for them alone.
    public var newcomers: [String]?
    /// In the last minute, without what is in ``admitted``.
    public var minute: Admitted?
    /// Refused notifications of today.
    public var refused: [Refused]?

    /// An event of these.
    public init(
        edge: String, isNew: Bool? = nil, admitted: Admitted? = nil, newcomers: [String]? = nil,
        minute: Admitted? = nil, refused: [Refused]? = nil
    ) {
        self.edge = edge
        self.isNew = isNew
        self.admitted = admitted
        self.newcomers = newcomers
        self.minute = minute
        self.refused = refused
    }

    /// The edge.
    public var key: String { edge }
}
