package import Lane
package import Messages
package import SQLite

/// Settles the events of names that were judged while very many waited.
package struct SettleWaiting: Alarm {
    package let name = "judged names"

    private let measures: EventMeasures

    package init(measures: EventMeasures) { self.measures = measures }

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try WaitingEvents.next(in: snapshot)?.since
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        guard let app = try WaitingEvents.next(in: transaction)?.app else { return }
        measures.count(
            try WaitingEvents.settle(app, now: now, limit: ProjectNames.portion, in: transaction))
    }
}
