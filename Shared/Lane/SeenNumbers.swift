internal import Messages
internal import Messaging
internal import SQLite

/// Which numbers of which publisher have arrived at a partition. Held in memory as sets; the store has the same ranges.
///
/// A value: the batch works on a copy of it, which is kept once the batch is committed.
struct SeenNumbers: Sendable {
    struct Source: Hashable, Sendable {
        let publisher: PublisherID
        let routingKey: String
    }

    private var sets: [Source: NumberSet] = [:]
    private var changed: Set<Source> = []

    static func load(from snapshot: borrowing some Reading & ~Copyable) throws -> SeenNumbers {
        var numbers = SeenNumbers()
        try snapshot.forEach("SELECT publisher, routing_key, first, last FROM numbers") { row in
            let source = Source(
                publisher: try row.id(0), routingKey: try row.text(1))
            let (first, last) = (try row.int(2), try row.int(3))
            if first <= last { numbers.sets[source, default: NumberSet()].insert(first...last) }
        }
        return numbers
    }

    /// Takes down the number of a delivery that comes through `exchange` for the first time; copies from the ladder,
    /// forwards and replays keep their number and have been counted.
    mutating func note(_ delivery: Delivery) {
        guard Exchange(rawValue: delivery.exchange)?.isNumbered == true else { return }
        guard let number = Self.number(of: delivery.envelope) else { return }
        let source = Source(publisher: number.publisher, routingKey: delivery.routingKey)
        if sets[source, default: NumberSet()].insert(number.number) { changed.insert(source) }
    }

    /// The number of a message, if its sender is who numbers so.
    static func number(of envelope: Envelope) -> PublisherNumber? {
        // Beyond 2^53 a report would have no number for it that every reader of JSON reads.
        guard let number = envelope.sequence, number.number <= 1 << 53,
            number.publisher.belongs(to: envelope.properties.userID.map(BrokerUser.init(rawValue:)))
        else { return nil }
        return number
    }

    /// Writes what changed since `before`.
    mutating func save(changesSince before: SeenNumbers, at now: Timestamp, in transaction: borrowing Transaction)
        throws
    {
        for source in changed {
            let old = before.sets[source]?.ranges ?? []
            let new = sets[source]?.ranges ?? []
            // Almost always only the end of the last range has moved: the rest is the same in both.
            let same = zip(old, new).prefix { $0 == $1 }.count
            let firsts = Set(new[same...].map(\.lowerBound))
            for range in old[same...] where !firsts.contains(range.lowerBound) {
                try transaction.run(
                    "DELETE FROM numbers WHERE publisher = ? AND routing_key = ? AND first = ?",
                    .text(source.publisher.rawValue), .text(source.routingKey), SQLValue(range.lowerBound))
            }
            for range in new[same...] {
                try transaction.run(
                    """
                    INSERT INTO numbers (publisher, routing_key, first, last, bucket, seen_at)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET last = excluded.last, seen_at = excluded.seen_at
                    """,
                    .text(source.publisher.rawValue), .text(source.routingKey), SQLValue(range.lowerBound),
                    SQLValue(range.upperBound), SQLValue(Self.bucket(of: source.routingKey).number), SQLValue(now))
            }
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// How many of `confirmed` have not arrived.
    func count(missingFrom confirmed: NumberSet, of source: Source) -> Int {
        confirmed.subtracting(sets[source] ?? NumberSet()).count
    }

    /// Forgets publishers that went long ago.
    mutating func forget(_ sources: [Source]) {
        for source in sources { sets[source] = nil }
    }

    /// The bucket that ends a routing key of commands or events.
    static func bucket(of routingKey: String) -> Bucket {
        routingKey.split(separator: ".").last.flatMap { Int($0) }.flatMap { Bucket($0) } ?? Bucket.all[0]
    }
}
