internal import Erasures
package import Lane
package import Messages
package import SQLite

/// Takes an erased user out of this partition, a few rows at a time: any number of installs may have named him.
package struct ForgetUsers: Alarm {
    /// How many rows of a table at once.
    static let portion = 500

    package let name = "erasures"

    package init() {}

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try ErasureStore.next(in: snapshot)?.erasure.time
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        guard let pending = try ErasureStore.next(in: transaction) else { return }
        if try UserRows.forget(pending, limit: Self.portion, in: transaction) {
            try ErasureStore.finish(pending, in: transaction)
        }
    }
}
