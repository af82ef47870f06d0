internal import Lane
internal import Messages
internal import SQLite

/// Events under names that an operator has taken back, and what becomes of them: those that were accepted until then are
/// dropped; later ones wait as if their name had never been the app's.
enum ReleasedNames {
    /// A name whose events have still to follow.
    struct Pending {
        var app: App
        var name: EventName
        var releasedAt: Timestamp
        /// Up to which row of `events` they have.
        fileprivate var swept: Int64
    }

    /// One whose events have still to follow.
    static func next(in store: borrowing some Reading & ~Copyable) throws -> Pending? {
        try store.first(
            """
            SELECT organisation, app, name, released_at, swept FROM released_names INDEXED BY released_names_to_sweep
            WHERE swept IS NOT NULL LIMIT 1
            """
        ) { row in
            Pending(
                app: App(try row.id(0), try row.id(1)), name: try row.id(2), releasedAt: try row.time(3),
                swept: try row.int64(4))
        }
    }

    /// Looks at up to `portion` rows, whether they are of the name or not: there is no order of events by name.
    ///
    /// - Returns: how many were dropped.
    static func sweep(
        _ pending: Pending, portion: Int64, in transaction: borrowing Transaction
    ) throws -> Int {
        let end = pending.swept + portion
        let place = [SQLValue(pending.app.organisation), SQLValue(pending.app.id), SQLValue(pending.name)]
        let rows = place + [SQLValue(pending.swept), SQLValue(end)]
        let dropped = try transaction.run(
            """
            DELETE FROM events WHERE rowid > ?4 AND rowid <= ?5 AND organisation = ?1 AND app = ?2 AND name = ?3
                AND accepted_at <= ?6
            """, bindings: rows + [SQLValue(pending.releasedAt)])
        let isClaimedAgain = try transaction.exists(
            "SELECT 1 FROM event_names WHERE organisation = ? AND app = ? AND name = ?", bindings: place)
        if !isClaimedAgain {
            let later = try transaction.all(
                "SELECT rowid FROM events WHERE rowid > ?4 AND rowid <= ?5 AND organisation = ?1 AND app = ?2 AND name = ?3",
                bindings: rows
            ) { try $0.int64(0) }
            for row in later { try WaitingEvents.putAside(row, in: transaction) }
        }
        let last = try transaction.first("SELECT IFNULL(MAX(rowid), 0) FROM events") { try $0.int64(0) } ?? 0
        try transaction.run(
            "UPDATE released_names SET swept = ?4 WHERE organisation = ?1 AND app = ?2 AND name = ?3",
            bindings: place + [end < last ? SQLValue(end) : .null])
        return dropped
    }
}
