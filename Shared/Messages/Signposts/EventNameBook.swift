/// The names that an app has used so far. Names are only ever added: of two books of an app the longer one is the newer.
public struct EventNameBook: Codable, Sendable, Hashable {
    /// A name of the app.
    public struct Entry: Codable, Sendable, Hashable {
        /// The name.
        public var name: EventName
        /// When it was first used.
        public var since: Timestamp

        /// Pairs them.
        public init(name: EventName, since: Timestamp) {
            self.name = name
            self.since = since
        }
    }

    /// What a book says of a name.
    public enum Verdict: Sendable, Hashable {
        /// It is one of the app's.
        case accepted
        /// It is not, and there is no room for more.
        case rejected
        /// It is not yet: it has to be claimed.
        case unknown
    }

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// In the order in which they were claimed; up to ``EventName/budget``.
    public var names: [Entry]

    /// A book of these.
    public init(organisation: OrganisationID, app: AppID, names: [Entry] = []) {
        self.organisation = organisation
        self.app = app
        self.names = names
    }

    /// Whether there is no room for more.
    public var isFull: Bool { names.count >= EventName.budget }

    /// What it says of `name`.
    public func verdict(on name: EventName) -> Verdict {
        names.contains { $0.name == name } ? .accepted : isFull || !name.isGood ? .rejected : .unknown
    }
}
