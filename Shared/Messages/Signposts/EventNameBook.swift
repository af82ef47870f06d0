/// The names that an app has used so far. An operator may take names back: of two books of an app that with the higher
/// ``version`` is the newer.
public struct EventNameBook: Codable, Sendable, Hashable {
    /// A name of the app.
    public struct Entry: Codable, Sendable, Hashable {
        /// The name.
        public var name: EventName
        /// When it was first used.
        public var since: Timestamp
        /// By whose word; absent: not known.
        public var trust: Trust?

        /// An entry of these.
        public init(name: EventName, since: Timestamp, trust: Trust? = nil) {
            self.name = name
            self.since = since
            self.trust = trust
        }
    }

    /// A name that an operator has taken back.
    public struct Released: Codable, Sendable, Hashable {
        /// The name.
        public var name: EventName
        /// When: what was accepted until then under the name is dropped, and does not claim it.
        public var at: Timestamp

        /// Pairs them.
        public init(name: EventName, at: Timestamp) {
            self.name = name
            self.at = at
        }
    }

    /// What a book says of a name.
    public enum Verdict: Sendable, Hashable {
        /// It is one of the app's.
        case accepted
        /// It is not, and there is no room for more, or whoever asks may not claim any.
        case rejected
        /// It is not yet: it has to be claimed.
        case unknown
    }

    /// How many different names an app's operators may take back.
    public static let mostReleased = 256

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// In the order in which they were claimed; up to ``EventName/budget``.
    public var names: [Entry]
    /// The higher, the newer; absent: as many as there are names (tellers who never take names back).
    public var version: Int?
    /// Names that were taken back, each with the last time; absent: none.
    public var released: [Released]?
    /// Who may claim names: `attested`, attested callers alone; absent: anybody.
    public var claims: Trust?

    /// A book of these.
    public init(
        organisation: OrganisationID, app: AppID, names: [Entry] = [], version: Int? = nil,
        released: [Released]? = nil, claims: Trust? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.names = names
        self.version = version
        self.released = released
        self.claims = claims
    }

    /// The higher, the newer.
    public var edition: Int { version ?? names.count }

    /// Whether there is no room for more.
    public var isFull: Bool { names.count >= EventName.budget }

    /// What it says of `name` to a caller of `trust`.
    public func verdict(on name: EventName, for trust: Trust) -> Verdict {
        if names.contains(where: { $0.name == name }) { return .accepted }
        return isFull || !name.isGood || !mayClaim(trust) ? .rejected : .unknown
    }

    /// Whether a caller of `trust` may claim names.
    public func mayClaim(_ trust: Trust) -> Bool { claims.map { !$0.isAttested } ?? true || trust.isAttested }

    /// Whether what was accepted at `time` under `name` is from before the name was taken back.
    public func isReleased(_ name: EventName, at time: Timestamp) -> Bool {
        released?.contains { $0.name == name && $0.at >= time } ?? false
    }
}
