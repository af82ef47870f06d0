package import Lane
package import Messages
package import SQLite

/// `event-name.judged.v1`, in every partition: keeps an app's names, and settles the events that waited for them.
package struct ProjectNames: MessageHandler {
    /// How many events are settled at once; what is left is for ``SettleWaiting``.
    static let portion = 500

    private let measures: EventMeasures

    package init(measures: EventMeasures) { self.measures = measures }

    package func apply(
        _ message: EventNameJudged, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let book = message.book
        let app = App(book.organisation, book.app)
        try NameStore.keep(book, in: transaction)
        // Also if it says nothing new: the app's own partition has known it since it judged.
        measures.count(
            try WaitingEvents.settle(app, now: context.now, limit: Self.portion, in: transaction))
        for proposal in try WaitingEvents.proposals(of: app, in: transaction) { try outgoing.send(proposal) }
        return .applied
    }
}
