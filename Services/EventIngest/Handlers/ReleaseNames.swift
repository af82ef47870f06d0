package import Lane
package import Messages
package import SQLite

/// `event-name.release.v1`, in the partition of the app: an operator takes names back.
package struct ReleaseNames: MessageHandler {
    private let claims: NameClaims

    package init(measures: EventMeasures) { claims = NameClaims(measures: measures) }

    package func apply(
        _ message: EventNameRelease, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<EventNameBook> {
        guard message.names.count <= EventRules.mostEvents else { return .refused(.tooManyNames) }
        let known = try claims.book(of: App(message.organisation, message.app), in: transaction)
        guard let book = known.releasing(message.names, at: context.acceptedAt) else {
            return .refused(.tooManyReleased)
        }
        try claims.keep(book, insteadOf: known, in: transaction, outgoing: &outgoing)
        if book != known {
            let names = message.names.map(\.rawValue).joined(separator: ", ")
            try context.note(
                .releaseNames, "\(Key.app(message.organisation, message.app)) \(names)", count: message.names.count,
                in: transaction)
        }
        return .applied(book)
    }
}
