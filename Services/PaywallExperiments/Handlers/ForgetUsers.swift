package import Erasures
package import Lane
package import Messages
package import SQLite

/// Takes erased users out of this partition: any number of installs may have named them.
package struct ForgetUsers: ErasureAlarm {
    /// How many rows of a table at once.
    static let portion = 500

    package init() {}

    package func forget(
        _ pending: ErasureStore.Pending, now: Timestamp, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Bool {
        try UserRows.forget(pending, limit: Self.portion, in: transaction)
    }
}
