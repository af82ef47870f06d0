package import Lane
package import Messages
package import SQLite

/// `event-name.judged.v1`, in every partition: adds an app's names, and settles the events that waited for them.
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
        try NameStore.add(book, in: transaction)
        // Also if it says nothing new: the app's own partition has known it since it judged.
        let settled = try WaitingEvents.settle(
            App(book.organisation, book.app), now: context.now, limit: Self.portion, in: transaction)
        measures.count(settled)
        return .applied
    }
}
