internal import Apps
internal import Lane
internal import Messages
internal import Messaging
internal import SQLite

/// How names are claimed: first come, first served, until an app has used up its budget.
struct NameClaims: Sendable {
    let measures: EventMeasures

    /// Judges names, once for all times, and tells all partitions if an app has got new ones.
    ///
    /// - Throws: `MessageFault` for an app that is not known here.
    func judge(
        _ names: [EventName], of app: App, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> EventNameClaim.Value {
        guard try AppStore.knows(app.id, of: app.organisation, in: transaction) else {
            throw MessageFault.unknownApp(app.id, of: app.organisation)
        }
        let known = try NameStore.book(of: app, in: transaction)
        let (book, value) = known.claiming(names, at: context.acceptedAt)
        if book != known {
            try NameStore.add(book, in: transaction)
            try outgoing.publish(EventNameJudged(book: book))
            measures.count(claimed: book.names.count - known.names.count)
        }
        return value
    }
}
