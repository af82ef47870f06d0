package import Erasures
package import Lane
package import Messages
package import SQLite

/// Deletes what erased users sent.
package struct ForgetUsers: ErasureAlarm {
    /// How many rows of each table at once.
    static let portion = 1000

    package init() {}

    package func forget(
        _ pending: ErasureStore.Pending, now: Timestamp, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Bool {
        try UserRows.delete(pending, limit: Self.portion, in: transaction)
    }
}
