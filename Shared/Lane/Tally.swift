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

/// Counts endings within a batch, and adds them to the store's.
struct Tally: Sendable {
    private struct Cell: Hashable {
        let bucket: Bucket
        let ending: Ending
    }
    private var counts: [Cell: Int] = [:]

    mutating func count(_ ending: Ending, _ bucket: Bucket) {
        counts[Cell(bucket: bucket, ending: ending), default: 0] += 1
    }

    func save(in transaction: borrowing Transaction) throws {
        for (cell, count) in counts {
            try transaction.run(
                """
                INSERT INTO tallies (bucket, ending, count) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """, SQLValue(cell.bucket.number), .text(cell.ending.rawValue), SQLValue(count))
        }
    }
}
