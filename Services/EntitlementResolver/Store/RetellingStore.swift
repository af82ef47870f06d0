internal import Lane
internal import Messages
internal import SQLite

/// How far this partition has come with telling everything again.
enum RetellingStore {
    /// Nil: it has never begun.
    static func progress(in store: borrowing some Reading & ~Copyable) throws -> Retelling? {
        try store.first("SELECT began_at, through, after FROM retelling") {
            Retelling(beganAt: try $0.time(0), through: try $0.int64(1), after: try $0.int64(2))
        }
    }

    static func save(_ progress: Retelling, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "REPLACE INTO retelling (id, began_at, through, after) VALUES (0, ?, ?, ?)", SQLValue(progress.beganAt),
            SQLValue(progress.through), SQLValue(progress.after))
    }
}
