package import Lane
package import Messages
package import SQLite

/// `event-name.rule.v1`, in the partition of the app: an operator says who may claim names.
package struct RuleNames: MessageHandler {
    private let claims: NameClaims

    package init(measures: EventMeasures) { claims = NameClaims(measures: measures) }

    package func apply(
        _ message: EventNameRule, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<EventNameBook> {
        let app = App(message.organisation, message.app)
        let known = try claims.book(of: app, in: transaction)
        guard try NameStore.noteRule(of: app, context.acceptedAt, context.id, in: transaction) else {
            return .overtaken(known)
        }
        let book = known.allowing(message.claims)
        try claims.keep(book, insteadOf: known, in: transaction, outgoing: &outgoing)
        if book != known {
            let who = message.claims.map { "\($0) callers alone" } ?? "anybody"
            try context.note(.ruleNames, "\(Key.app(app.organisation, app.id)) \(who)", in: transaction)
        }
        return .applied(book)
    }
}
