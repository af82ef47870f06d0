internal import Apps
package import Lane
package import Messages
internal import Messaging
package import SQLite

/// `event-name.claim.v1`, in the partition of the app: an edge asks before it lets events through.
package struct ClaimNames: SettlingHandler {
    private let claims: NameClaims

    package init(measures: EventMeasures) { claims = NameClaims(measures: measures) }

    package func settled(
        _ message: EventNameClaim, _ context: MessageContext, in snapshot: borrowing Snapshot
    ) throws -> Verdict<EventNameClaim.Value>? {
        guard message.names.count <= EventRules.mostEvents else { return .refused(.tooManyNames) }
        let app = App(message.organisation, message.app)
        guard try AppStore.knows(app.id, of: app.organisation, in: snapshot) else { return nil }
        let known = try NameStore.book(of: app, in: snapshot)
        let (book, value) = known.claiming(message.names, at: context.acceptedAt)
        return book == known ? .applied(value) : nil
    }

    package func apply(
        _ message: EventNameClaim, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<EventNameClaim.Value> {
        guard message.names.count <= EventRules.mostEvents else { return .refused(.tooManyNames) }
        return .applied(
            try claims.judge(
                message.names, of: App(message.organisation, message.app), context, in: transaction,
                outgoing: &outgoing))
    }
}

/// `event-name.propose.v1`, in the partition of the app: a user's partition keeps events until the answer has come.
package struct ProposeNames: MessageHandler {
    private let claims: NameClaims

    package init(measures: EventMeasures) { claims = NameClaims(measures: measures) }

    package func apply(
        _ message: EventNamePropose, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        guard message.names.count <= EventRules.mostEvents else { return .refused(.tooManyNames) }
        let value = try claims.judge(
            message.names, of: App(message.organisation, message.app), context, in: transaction, outgoing: &outgoing)
        // Whoever proposes a name that is refused does not know yet that there is no room.
        if !value.rejected.isEmpty { try outgoing.publish(EventNameJudged(book: value.book)) }
        return .applied
    }
}

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
