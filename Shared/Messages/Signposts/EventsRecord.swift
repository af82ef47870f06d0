/// Events of one user of one app. Sent by edges, and by whoever may publish commands. Key: `<organisation>/<user>`.
///
/// Each event is judged by itself; `refused` is the whole message, for `identifier_unacceptable` (the user) or
/// `too_many_events`. An app that is not known waits in the retry ladder for its news (`app_unknown`).
public struct EventsRecord: Command {
    /// `events.record.v1`
    public static let kind: MessageKind = "events.record.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest

    /// What became of the events.
    public struct Value: Codable, Sendable, Hashable {
        /// An event that was dropped.
        public struct Rejected: Codable, Sendable, Hashable {
            /// Its place in ``EventsRecord/events``, from 0.
            public var index: Int
            /// Why.
            public var code: EventFault

            /// Pairs them.
            public init(index: Int, code: EventFault) {
                self.index = index
                self.code = code
            }
        }

        /// How many are new.
        public var stored: Int
        /// How many were there already.
        public var repeated: Int
        /// How many are kept out of sight until their names are judged.
        public var waiting: Int
        /// Those that were dropped.
        public var rejected: [Rejected]

        /// A value of these.
        public init(stored: Int = 0, repeated: Int = 0, waiting: Int = 0, rejected: [Rejected] = []) {
            self.stored = stored
            self.repeated = repeated
            self.waiting = waiting
            self.rejected = rejected
        }
    }

    /// Whose user he is.
    public var organisation: OrganisationID
    /// The app that speaks.
    public var app: AppID
    /// The user.
    public var user: AppUserID
    /// Up to ``EventRules/mostEvents``.
    public var events: [SignpostEvent]
    /// What is known of the caller. Believed only from an edge.
    public var trust: Trust

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, user: AppUserID, events: [SignpostEvent], trust: Trust
    ) {
        self.organisation = organisation
        self.app = app
        self.user = user
        self.events = events
        self.trust = trust
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}
