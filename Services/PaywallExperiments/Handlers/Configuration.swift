internal import Apps
internal import Lane
internal import Messages
internal import SQLite

/// What an operator says of one thing of an app by its name, each time as a whole: every version is kept, and the highest
/// counts.
protocol Configuration: Equatable, Sendable {
    associatedtype News: Event

    static var subject: CommandStore.Subject { get }
    /// What the audit trail calls it.
    static var deed: AuditTrail.Deed { get }
    /// How many an app may have, and what they are called in a refusal.
    static var most: (count: Int, of: String) { get }

    var organisation: OrganisationID { get }
    var app: AppID { get }
    /// Among those of its app.
    var name: String { get }
    var version: Int { get set }
    var changedAt: Timestamp { get set }
    /// Tells all partitions of it.
    var news: News { get }

    /// What counts now under the same name; nil: there never was one.
    func current(in transaction: borrowing Transaction) throws -> Self?
    /// How many of them its app has.
    func count(in transaction: borrowing Transaction) throws -> Int
    func record(in transaction: borrowing Transaction) throws
}

extension Configuration {
    /// Puts it in the place of what counts now, if that is not newer and is what its author has looked at, and tells all
    /// partitions; what says the same changes nothing. Its version is that of what it replaces, and one more.
    func put(
        expecting expected: Int?, isDryRun: Bool, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Self> {
        guard try AppStore.knows(app, of: organisation, in: transaction) else {
            return .refused(.appUnknown)
        }
        let current = try current(in: transaction)
        let standing = try CommandStore.standing(
            of: context, about: Self.subject, name, of: app, of: organisation, in: transaction)
        if let current, standing == .repeated { return .applied(current) }
        guard standing != .overtaken else { return .refused(.overtaken) }
        let version = current?.version ?? 0
        if let expected, expected != version { return .refused(.versionChanged(version)) }
        if current == nil, try count(in: transaction) >= Self.most.count {
            return .refused(.tooMany(Self.most.of, Self.most.count))
        }

        var next = self
        (next.version, next.changedAt) = (version, current?.changedAt ?? context.acceptedAt)
        let isSame = next == current
        if !isSame { (next.version, next.changedAt) = (version + 1, context.acceptedAt) }
        if isDryRun { return .applied(next) }
        try CommandStore.note(context, about: Self.subject, name, of: app, of: organisation, in: transaction)
        if isSame { return .applied(next) }
        try next.record(in: transaction)
        try outgoing.publish(next.news)
        try context.note(
            Self.deed, "\(Key.app(organisation, app)) \(name), version \(next.version)", in: transaction)
        return .applied(next)
    }
}
