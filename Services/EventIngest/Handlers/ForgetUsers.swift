internal import Erasures
package import Lane
package import Messages
package import SQLite

/// Deletes what erased users sent, a few at a time: it may be any number of events.
package struct ForgetUsers: Alarm {
    /// How many rows of each table at once.
    static let portion = 1000

    package let name = "erasures"

    package init() {}

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try ErasureStore.next(in: snapshot)?.erasure.time
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        guard let pending = try ErasureStore.next(in: transaction) else { return }
        let deleted = try UserRows.delete(pending, limit: Self.portion, in: transaction)
        if deleted < Self.portion { try ErasureStore.finish(pending, in: transaction) }
    }
}
