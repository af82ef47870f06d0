internal import Apps
internal import Lane
internal import Messages
internal import Messaging
internal import SQLite

/// How the names of an app are claimed, first come, first served, until it has used up its budget, and taken back.
struct NameClaims: Sendable {
    let measures: EventMeasures

    /// Judges names for whoever spoke at a time, and tells all partitions if an app has got new ones.
    ///
    /// - Throws: `MessageFault` for an app that is not known here.
    func judge(
        _ names: [EventName], of app: App, by trust: Trust?, at time: Timestamp, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> EventNameClaim.Value {
        let known = try book(of: app, in: transaction)
        let (book, value) = known.claiming(names, by: trust ?? .unverified, at: time)
        try keep(book, insteadOf: known, in: transaction, outgoing: &outgoing)
        measures.count(claimed: book.names.count - known.names.count)
        return value
    }

    /// The names as they are now.
    ///
    /// - Throws: `MessageFault` for an app that is not known here.
    func book(of app: App, in transaction: borrowing Transaction) throws -> EventNameBook {
        guard try AppStore.knows(app.id, of: app.organisation, in: transaction) else {
            throw MessageFault.unknownApp(app.id, of: app.organisation)
        }
        return try NameStore.book(of: app, in: transaction)
    }

    /// Keeps what has become of them, and tells all partitions.
    func keep(
        _ book: EventNameBook, insteadOf known: EventNameBook, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws {
        guard book != known else { return }
        try NameStore.keep(book, in: transaction)
        try outgoing.publish(EventNameJudged(book: book))
    }
}
