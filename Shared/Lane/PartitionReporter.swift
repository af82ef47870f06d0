internal import Messages
internal import SQLite

/// Puts together what a partition has taken and what became of it.
struct PartitionReporter: Sendable {
    let lane: Lane

    func report() async throws -> PartitionReport {
        let now = lane.clock()
        let address = lane.address
        // Before the store is looked at: what is confirmed after it may have been seen after it too.
        let published = lane.publisher.published
        return try await lane.database.read { snapshot in
            var tallies: [String: Int] = [:]
            try snapshot.forEach("SELECT ending, sum(count) FROM tallies GROUP BY ending") { row in
                tallies[try row.text(0)] = try row.int(1)
            }
            func ended(_ ending: Ending) -> Int {
                [true, false].reduce(0) { $0 + (tallies[ending.tallied(isDurable: $1)] ?? 0) }
            }
            return PartitionReport(
                service: address.service, partition: address.number, partitions: address.count.rawValue,
                applied: ended(.applied), refused: ended(.refused), repeated: ended(.repeated),
                forwarded: ended(.forwarded),
                retrying: try count("SELECT count(*) FROM retrying", in: snapshot),
                overdue: try count(
                    "SELECT count(*) FROM retrying WHERE due < ?",
                    SQLValue(now - .seconds(60)), in: snapshot),
                dead: try DeadLetterTable.groups(in: snapshot),
                discarded: try count(
                    "SELECT count(*) FROM dead_letters WHERE discarded_at IS NOT NULL", in: snapshot),
                replaying: try SelectionTable.countOnTheWay(in: snapshot),
                unpublished: try count("SELECT count(*) FROM outbox", in: snapshot), numbers: try numbers(in: snapshot),
                published: published, retryGroups: try RetryingTable.groups(in: snapshot))
        }
    }

    private func count(_ sql: SQL, _ bindings: SQLValue..., in snapshot: borrowing Snapshot) throws -> Int {
        try snapshot.first(sql, bindings: bindings) { try $0.int(0) } ?? 0
    }

    private func numbers(in snapshot: borrowing Snapshot) throws -> [PartitionReport.Numbers] {
        var numbers: [SeenNumbers.Source: PartitionReport.Numbers] = [:]
        func empty(_ source: SeenNumbers.Source) -> PartitionReport.Numbers {
            PartitionReport.Numbers(
                publisher: source.publisher, routingKey: source.routingKey, seen: NumberSet(), checkpoint: nil,
                checkpointAt: nil)
        }
        try snapshot.forEach("SELECT publisher, routing_key, first, last, seen_at FROM numbers") { row in
            let source = SeenNumbers.Source(
                publisher: try row.id(0), routingKey: try row.text(1))
            var entry = numbers[source] ?? empty(source)
            entry.seen.insert(try row.int(2)...max(row.int(2), row.int(3)))
            let seenAt = try row.time(4)
            entry.lastSeenAt = max(entry.lastSeenAt ?? seenAt, seenAt)
            numbers[source] = entry
        }
        try snapshot.forEach(
            "SELECT publisher, routing_key, through, unconfirmed, final, arrived_at FROM checkpoints"
        ) { row in
            let source = SeenNumbers.Source(
                publisher: try row.id(0), routingKey: try row.text(1))
            numbers[source, default: empty(source)].checkpoint = PublisherCheckpoint(
                publisher: source.publisher, routingKey: source.routingKey, through: try row.int(2),
                unconfirmed: try Checkpoints.decode(row.text(3)), isFinal: try row.bool(4))
            numbers[source, default: empty(source)].checkpointAt = try row.time(5)
        }
        return numbers.values.sorted {
            ($0.publisher, $0.routingKey) < ($1.publisher, $1.routingKey)
        }
    }
}
