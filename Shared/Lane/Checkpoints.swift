internal import JSON
internal import Messages
internal import SQLite

/// How far each publisher says that the broker has confirmed its numbers.
enum Checkpoints {
    /// Keeps the farthest; what was ever unconfirmed stays so.
    static func keep(_ checkpoint: PublisherCheckpoint, at now: Timestamp, in transaction: borrowing Transaction) throws
    {
        let known = try transaction.first(
            "SELECT through, unconfirmed, final FROM checkpoints WHERE publisher = ? AND routing_key = ?",
            .text(checkpoint.publisher.rawValue), .text(checkpoint.routingKey)
        ) { (through: try $0.int(0), unconfirmed: try decode($0.text(1)), isFinal: try $0.bool(2)) }
        let unconfirmed = checkpoint.unconfirmed.union(known?.unconfirmed ?? NumberSet())
        let through = max(checkpoint.through, known?.through ?? 0)
        try transaction.run(
            """
            INSERT INTO checkpoints (publisher, routing_key, bucket, through, unconfirmed, final, arrived_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET through = excluded.through, unconfirmed = excluded.unconfirmed,
                final = excluded.final, arrived_at = excluded.arrived_at
            """,
            .text(checkpoint.publisher.rawValue), .text(checkpoint.routingKey),
            SQLValue(SeenNumbers.bucket(of: checkpoint.routingKey).number), SQLValue(through),
            .text(String(decoding: try MessageJSON.encode(unconfirmed), as: UTF8.self)),
            SQLValue(checkpoint.isFinal || known?.isFinal == true), SQLValue(now))
    }

    static func decode(_ text: String) throws -> NumberSet {
        try MessageJSON.decode(NumberSet.self, from: Array(text.utf8))
    }

    /// Publishers of whom nothing at all has come since `limit` (one that lives says something here or there), with their
    /// routing keys; their numbers and checkpoints go.
    static func forget(silentSince limit: Timestamp, in transaction: borrowing Transaction) throws -> [SeenNumbers
        .Source]
    {
        let silent = try transaction.all(
            """
            WITH heard (publisher, routing_key, at) AS (
                SELECT publisher, routing_key, seen_at FROM numbers
                UNION ALL SELECT publisher, routing_key, arrived_at FROM checkpoints)
            SELECT DISTINCT publisher, routing_key FROM heard WHERE publisher IN (
                SELECT publisher FROM heard GROUP BY publisher HAVING max(at) < ?) LIMIT 1000
            """, SQLValue(limit)
        ) { SeenNumbers.Source(publisher: try $0.id(0), routingKey: try $0.text(1)) }
        for source in silent {
            for table in ["numbers", "checkpoints"] {
                try transaction.run(
                    SQL(composed: "DELETE FROM \(table) WHERE publisher = ? AND routing_key = ?"),
                    .text(source.publisher.rawValue), .text(source.routingKey))
            }
        }
        return silent
    }
}
