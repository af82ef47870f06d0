package import Lane
package import Messages
package import SQLite

/// Drops the events of names that were taken back, a portion of the table at a time: it may be any number.
package struct SweepReleased: Alarm {
    /// How many rows are looked at at once.
    private static let portion: Int64 = 5000

    package let name = "released names"

    private let measures: EventMeasures

    package init(measures: EventMeasures) { self.measures = measures }

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try ReleasedNames.next(in: snapshot)?.releasedAt
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        guard let pending = try ReleasedNames.next(in: transaction) else { return }
        measures.count(released: try ReleasedNames.sweep(pending, portion: Self.portion, in: transaction))
        for proposal in try WaitingEvents.proposals(of: pending.app, only: pending.name, in: transaction) {
            try outgoing.send(proposal)
        }
    }
}
