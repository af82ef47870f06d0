internal import Crypto
internal import Messages
internal import ServiceKit
internal import SQLite

/// Rings a partition's alarms as they fall due; only while the partition is owned.
struct AlarmClock: Sendable {
    let lane: Lane

    /// Of one alarm, before the next one has its turn.
    private static let mostRings = 100

    func run() async {
        while !Task.isCancelled {
            for alarm in lane.handlers.alarms {
                do {
                    // Bounded: an alarm that does not move on must not keep the writer busy.
                    var rings = 0
                    while rings < Self.mostRings, !Task.isCancelled, try await ring(alarm) { rings += 1 }
                } catch {
                    lane.logger.warning(
                        "alarm failed", ["alarm": .string(alarm.name), "error": .string(String(reflecting: error))])
                }
            }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// - Returns: whether something was due.
    private func ring(_ alarm: any Alarm) async throws -> Bool {
        let now = lane.clock()
        let next = try await lane.database.read { try alarm.next(in: $0) }
        guard let next, next <= now else { return false }
        let cause = MessageID(
            at: next, digest: Digest.sha256("\(alarm.name)/\(lane.address)/\(next.millisecondsSince1970)".utf8))
        let rows = try await lane.database.write { [outbox = lane.outbox, address = lane.address] transaction in
            var outgoing = Outgoing(cause: cause, bucket: Bucket.all[address.number], acceptedAt: now)
            try alarm.ring(now: now, in: transaction, outgoing: &outgoing)
            return try outbox.store(outgoing, in: transaction)
        }
        lane.outbox.committed(rows)
        return true
    }
}
