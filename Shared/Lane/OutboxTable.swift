internal import Messages
internal import SQLite

/// The outbox as it is stored: in the transaction that it follows from, until the broker has confirmed it.
enum OutboxTable {
    static func insert(_ row: OutboxRow, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO outbox (
                number, id, bucket, exchange, routing_key, mandatory, kind, key, accepted_at, cause, traceparent, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(row.number), .text(row.id.rawValue), SQLValue(row.bucket.number),
            .text(row.route.exchange.rawValue), .text(row.route.routingKey), SQLValue(row.isMandatory),
            .text(row.kind.rawValue), .text(row.key), SQLValue(row.acceptedAt),
            .text(row.cause.rawValue), SQLValue(row.traceparent), .blob(row.body))
    }

    /// Up to `count` rows after `number`, not beyond `last`, in order.
    static func rows(after number: Int64, through last: Int64, count: Int, in snapshot: borrowing Snapshot) throws
        -> [OutboxRow]
    {
        try snapshot.all(
            """
            SELECT number, id, bucket, exchange, routing_key, mandatory, kind, key, accepted_at, cause, traceparent, body
            FROM outbox WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
            """, .integer(number), .integer(last), SQLValue(count)
        ) { row in
            OutboxRow(
                number: try row.int64(0), id: MessageID(rawValue: try row.text(1)),
                bucket: Bucket(try row.int(2)) ?? Bucket.all[0],
                route: Route(
                    exchange: Exchange(rawValue: try row.text(3)) ?? .commands, routingKey: try row.text(4)),
                isMandatory: try row.bool(5), kind: MessageKind(rawValue: try row.text(6)), key: try row.text(7),
                acceptedAt: try row.time(8), cause: MessageID(rawValue: try row.text(9)),
                traceparent: try row.textOrNil(10), body: try row.blob(11))
        }
    }

    /// Takes out what the broker has confirmed; runs of numbers at a time.
    static func remove(_ numbers: NumberSet, in transaction: borrowing Transaction) throws {
        for range in numbers.ranges {
            try transaction.run(
                "DELETE FROM outbox WHERE number BETWEEN ? AND ?", SQLValue(range.lowerBound),
                SQLValue(range.upperBound))
        }
    }

    /// The greatest number in use; 0 for none.
    static func greatestNumber(in snapshot: borrowing Snapshot) throws -> Int64 {
        try snapshot.first("SELECT coalesce(max(number), 0) FROM outbox") { try $0.int64(0) } ?? 0
    }
}
