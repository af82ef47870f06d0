package import Lane
package import Messages
package import SQLite

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
            message.names, of: App(message.organisation, message.app), by: message.trust,
            at: message.acceptedAt ?? context.acceptedAt, in: transaction, outgoing: &outgoing)
        // Whoever proposes a name that is refused does not know yet why.
        if !value.rejected.isEmpty { try outgoing.publish(EventNameJudged(book: value.book)) }
        return .applied
    }
}
