internal import Messages
internal import Messaging
internal import SQLite

/// What waits in the ladder, by id: a copy that the broker lost would show as overdue.
enum RetryingTable {
    static func keep(
        _ id: MessageID, kind: String, fault: MessageFault, attempt: Int, firstFailure: Timestamp, due: Timestamp,
        bucket: Bucket, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO retrying (id, bucket, kind, reason, text, attempt, first_failure, due)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET reason = excluded.reason, text = excluded.text, attempt = excluded.attempt,
                due = excluded.due
            """,
            .text(id.rawValue), SQLValue(bucket.number), .text(kind), .text(fault.reason.rawValue),
            .text(fault.text), SQLValue(attempt), SQLValue(firstFailure), SQLValue(due))
    }

    /// It has ended, one way or the other.
    static func remove(_ id: MessageID, in transaction: borrowing Transaction) throws {
        try transaction.run("DELETE FROM retrying WHERE id = ?", .text(id.rawValue))
    }
}
