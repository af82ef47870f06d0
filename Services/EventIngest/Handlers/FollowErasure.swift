package import Lane
package import Messages
package import SQLite

/// `user.erased.v1`, in every partition: from now on nothing of him is taken that is from before, and what there is of it
/// is to be deleted.
package struct FollowErasure: MessageHandler {
    package init() {}

    package func apply(
        _ message: UserErased, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try ErasureStore.record(message, in: transaction)
        return .applied
    }
}

/// Deletes what erased users sent, a few at a time: it may be any number of events.
package struct ForgetUsers: Alarm {
    /// How many rows of each table at once.
    static let portion = 1000

    package let name = "erasures"

    package init() {}

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try ErasureStore.next(in: snapshot)?.erasedAt
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        guard let pending = try ErasureStore.next(in: transaction) else { return }
        let deleted = try UserRows.delete(pending, limit: Self.portion, in: transaction)
        if deleted < Self.portion { try ErasureStore.finish(pending, in: transaction) }
    }
}
