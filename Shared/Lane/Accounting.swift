internal import Messages
internal import ServiceKit
internal import SQLite

/// Looks from time to time whether everything has come that publishers say was confirmed, and how old is what waits in
/// the ladder. A checkpoint comes behind what it confirms, on the same queue: what has not come by then is not on its
/// way. What no checkpoint tells this partition, because its binding is gone, `tollgate reconcile` finds.
struct Accounting: Sendable {
    let lane: Lane

    private static let interval = Duration.seconds(5)

    func run() async {
        while !Task.isCancelled {
            do {
                let (missing, oldest) = try await lane.database.read { snapshot in
                    (try Self.missing(in: snapshot), try Self.oldestFailure(in: snapshot))
                }
                lane.measures.unaccounted.set(missing)
                lane.measures.backlog.setInLadder(oldest)
            } catch {
                lane.logger.debug("accounting put off", ["error": .string(String(reflecting: error))])
            }
            // Work by the clock: there is no event to wait for. Cancelled, the loop ends.
            try? await Task.sleep(for: min(Self.interval, lane.limits.upkeepInterval))
        }
        // Who owns the partition next tells.
        lane.measures.unaccounted.set(0)
        lane.measures.backlog.setInLadder(nil)
    }

    private static func missing(in snapshot: borrowing Snapshot) throws -> Int {
        let seen = try SeenNumbers.load(from: snapshot)
        var count = 0
        try snapshot.forEach("SELECT publisher, routing_key, through, unconfirmed FROM checkpoints") { row in
            let through = min(try row.int(2), 1 << 53)
            guard through >= 1 else { return }
            let confirmed = NumberSet([1...through]).subtracting(try Checkpoints.decode(row.text(3)))
            let source = SeenNumbers.Source(publisher: try row.id(0), routingKey: try row.text(1))
            count = count.addingReportingOverflow(seen.count(missingFrom: confirmed, of: source)).partialValue
        }
        return count
    }

    private static func oldestFailure(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try snapshot.first("SELECT first_failure FROM retrying ORDER BY first_failure LIMIT 1") { try $0.time(0) }
    }
}
