public import Lane
public import Messages
public import SQLite

/// An alarm that forgets, a portion at a time, whom ``FollowErasure`` has noted: he may be named in any number of rows.
public protocol ErasureAlarm: Alarm {
    /// Forgets a portion of what names him and is from before his erasure.
    ///
    /// - Returns: whether that was all.
    func forget(
        _ pending: ErasureStore.Pending, now: Timestamp, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Bool
}

extension ErasureAlarm {
    /// In every service that has one: ids are those of its own partitions.
    public var name: String { "erasures" }

    /// As long as somebody is still to be forgotten.
    public func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try ErasureStore.next(in: snapshot)?.erasure.time
    }

    /// Forgets a portion, and finishes the erasure with the last one.
    public func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        guard let pending = try ErasureStore.next(in: transaction) else { return }
        if try forget(pending, now: now, in: transaction, outgoing: &outgoing) {
            try ErasureStore.finish(pending, in: transaction)
        }
    }
}
