internal import Messages
internal import Messaging
internal import SQLite

/// A message that no verdict could be reached on, with why and where.
struct DeadLetter: Sendable {
    let id: MessageID
    let bucket: Bucket
    let fault: MessageFault
    /// Where it ended: `decode`, `owner`, `prepare`, `apply`, `forward`, `delivery`, …
    let step: String
    let delivery: Delivery
    let firstFailure: Timestamp
    let at: Timestamp
    /// How often an operator has replayed it, by the service's own word: a stranger's header is none.
    let generation: Int

    var kind: MessageKind { delivery.envelope.kind ?? "" }
}

/// The dead letters of a partition.
enum DeadLetterTable {
    /// Keeps `letter`, unless the very same message of the same generation is there already.
    static func keep(_ letter: DeadLetter, version: String, in transaction: borrowing Transaction) throws {
        let envelope = letter.delivery.envelope
        try transaction.run(
            """
            INSERT INTO dead_letters (
                id, bucket, kind, key, reason, step, text, version, exchange, routing_key, attempts, generation,
                first_failure, last_failure, properties, body)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16
            WHERE NOT EXISTS (
                SELECT 1 FROM dead_letters
                WHERE id = ?1 AND generation = ?12 AND body = ?16 AND forgotten_at IS NULL)
            """,
            .text(letter.id.rawValue), SQLValue(letter.bucket.number), .text(letter.kind.rawValue),
            SQLValue(envelope.key), .text(letter.fault.reason.rawValue), .text(letter.step), .text(letter.fault.text),
            .text(version), .text(letter.delivery.exchange), .text(letter.delivery.routingKey),
            SQLValue(envelope.attempt + 1), SQLValue(letter.generation),
            SQLValue(letter.firstFailure), SQLValue(letter.at),
            .blob(try MessageJSON.encode(envelope.properties)), .blob(envelope.body))
    }

    /// These are on their way again.
    static func remove(_ numbers: [Int], in transaction: borrowing Transaction) throws {
        guard !numbers.isEmpty else { return }
        try transaction.run(
            "DELETE FROM dead_letters WHERE number IN (SELECT value FROM json_each(?))", .numbers(numbers))
    }

    /// How many groups a report names; strangers can make any number of them.
    private static let mostGroups = 1000

    /// The largest groups, and what is left as one: the sum is that of all.
    static func groups(in snapshot: borrowing Snapshot) throws -> [PartitionReport.DeadGroup] {
        var groups: [PartitionReport.DeadGroup] = []
        var rest = PartitionReport.DeadGroup(
            reason: "various reasons", step: "various steps", kind: "of other kinds", count: 0)
        try snapshot.forEach(
            """
            SELECT reason, step, kind, count(*) FROM dead_letters WHERE discarded_at IS NULL
            GROUP BY reason, step, kind ORDER BY 4 DESC
            """
        ) { row in
            let count = try row.int(3)
            guard groups.count < mostGroups else { return rest.count += count }
            groups.append(
                PartitionReport.DeadGroup(
                    reason: try row.text(0), step: try row.text(1), kind: try row.text(2), count: count))
        }
        return rest.count > 0 ? groups + [rest] : groups
    }
}
