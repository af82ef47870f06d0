internal import Messages
internal import SQLite

/// How a message that the lane took has ended.
enum Ending: String, Sendable, CaseIterable {
    /// Its effect is stored.
    case applied
    /// The answer is no.
    case refused
    /// It had been applied before.
    case repeated
    /// Another partition owns its key.
    case forwarded
    /// It waits in the ladder.
    case retried
    /// No verdict could be reached.
    case dead
    /// A publisher's checkpoint.
    case checkpoint
}

extension Ending {
    /// Its name in the tallies. Requests have names of their own: they are in no inbox, and nothing is kept of one that died.
    func tallied(isDurable: Bool) -> String { isDurable ? rawValue : "request \(rawValue)" }
}

/// Counts endings within a batch, and adds them to the store's.
struct Tally: Sendable {
    private struct Cell: Hashable {
        let bucket: Bucket
        let ending: Ending
    }
    private let isDurable: Bool
    private var counts: [Cell: Int] = [:]

    /// - Parameter isDurable: false for requests.
    init(isDurable: Bool) { self.isDurable = isDurable }

    mutating func count(_ ending: Ending, _ bucket: Bucket) {
        counts[Cell(bucket: bucket, ending: ending), default: 0] += 1
    }

    func save(in transaction: borrowing Transaction) throws {
        for (cell, count) in counts {
            try transaction.run(
                """
                INSERT INTO tallies (bucket, ending, count) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """, SQLValue(cell.bucket.number), .text(cell.ending.tallied(isDurable: isDurable)),
                SQLValue(count))
        }
    }
}
