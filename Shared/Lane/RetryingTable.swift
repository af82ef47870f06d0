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

    /// How many groups a report names; strangers can make any number of them.
    private static let mostGroups = 50

    /// The largest groups of what waits.
    static func groups(in snapshot: borrowing Snapshot) throws -> [PartitionReport.RetryGroup] {
        try snapshot.all(
            """
            SELECT reason, kind, count(*), min(first_failure) FROM retrying GROUP BY reason, kind ORDER BY 3 DESC LIMIT ?
            """, SQLValue(mostGroups)
        ) { row in
            PartitionReport.RetryGroup(
                reason: try row.text(0), kind: try row.text(1), count: try row.int(2), since: try row.time(3))
        }
    }
}
