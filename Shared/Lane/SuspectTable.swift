internal import Messages
internal import SQLite
internal import Synchronization

/// What was in hand, alone, when a process may have died of it.
enum SuspectTable {
    /// How often a message is tried alone before it is believed that the process dies of it.
    static let mostTries = 3

    /// Takes down one more try.
    ///
    /// - Returns: how many there are now.
    static func raise(_ id: MessageID, bucket: Bucket, in transaction: borrowing Transaction) throws -> Int {
        try transaction.run(
            "INSERT INTO suspects (id, bucket, tries) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET tries = tries + 1",
            .text(id.rawValue), SQLValue(bucket.number))
        return try transaction.first("SELECT tries FROM suspects WHERE id = ?", .text(id.rawValue)) { try $0.int(0) }
            ?? 1
    }

    static func acquit(_ id: MessageID, in transaction: borrowing Transaction) throws {
        try transaction.run("DELETE FROM suspects WHERE id = ?", .text(id.rawValue))
    }
}

/// Messages that went back to the broker through no fault of their own, while the process lives.
final class Excuses: Sendable {
    private let ids = Mutex<Set<MessageID>>([])

    func excuse(_ id: MessageID) { ids.withLock { _ = $0.insert(id) } }

    func isExcused(_ id: MessageID) -> Bool { ids.withLock { $0.contains(id) } }

    /// The excuse has been used.
    func forget(_ id: MessageID) { ids.withLock { _ = $0.remove(id) } }
}
