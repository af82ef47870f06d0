internal import Lane
internal import Messages
internal import SQLite

/// Events whose names were not known when they came, and what becomes of them once the names are judged.
enum WaitingEvents {
    /// What became of some of them.
    struct Settled {
        /// Their names are the app's: from now on they are seen.
        var shown = 0
        /// Their names are not.
        var dropped = 0
    }

    /// Whether events of this name wait already, and so the name has been proposed.
    static func contain(
        _ name: EventName, of app: App, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            "SELECT 1 FROM waiting_events WHERE organisation = ? AND app = ? AND name = ? LIMIT 1",
            SQLValue(app.organisation), SQLValue(app.id), SQLValue(name))
    }

    /// An app of which names were judged while events may have waited, and since when.
    static func next(in store: borrowing some Reading & ~Copyable) throws -> (app: App, since: Timestamp)? {
        try store.first("SELECT organisation, app, judged_at FROM judged_apps ORDER BY judged_at LIMIT 1") { row in
            (App(try row.id(0), try row.id(1)), try row.time(2))
        }
    }

    /// Shows and drops up to `limit` events of an app whose names have been judged; what is left is for ``next(in:)``.
    static func settle(
        _ app: App, now: Timestamp, limit: Int, in transaction: borrowing Transaction
    ) throws -> Settled {
        let isFull = try NameStore.isFull(app, in: transaction)
        let judged = try transaction.all(
            """
            SELECT w.rowid, n.name IS NOT NULL FROM waiting_events AS w LEFT JOIN event_names AS n
                ON n.organisation = w.organisation AND n.app = w.app AND n.name = w.name
            WHERE w.organisation = ?1 AND w.app = ?2 AND (?3 OR n.name IS NOT NULL) LIMIT ?4
            """, SQLValue(app.organisation), SQLValue(app.id), SQLValue(isFull), SQLValue(limit)
        ) { (row: try $0.int64(0), isAccepted: try $0.bool(1)) }
        var settled = Settled()
        for (row, isAccepted) in judged {
            if isAccepted { try show(row, now: now, in: transaction) }
            try transaction.run("DELETE FROM waiting_events WHERE rowid = ?", SQLValue(row))
            if isAccepted { settled.shown += 1 } else { settled.dropped += 1 }
        }
        try note(app, isDone: judged.count < limit, now: now, in: transaction)
        return settled
    }

    private static func note(
        _ app: App, isDone: Bool, now: Timestamp, in transaction: borrowing Transaction
    ) throws {
        if isDone {
            try transaction.run(
                "DELETE FROM judged_apps WHERE organisation = ? AND app = ?", SQLValue(app.organisation),
                SQLValue(app.id))
        } else {
            try transaction.run(
                "INSERT INTO judged_apps (organisation, app, judged_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                SQLValue(app.organisation), SQLValue(app.id), SQLValue(now))
        }
    }

    /// Of two of one identity, name and trust the one that was accepted last stays, as in ``EventStore``.
    private static func show(_ row: Int64, now: Timestamp, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO events (organisation, user, app, identity, bucket, name, id, at, sent_at, properties, trust,
                accepted_at, message_id, place, step, step_index, stored_at)
            SELECT organisation, user, app, identity, bucket, name, id, at, sent_at, properties, trust,
                accepted_at, message_id, place, step, step_index, ?2 FROM waiting_events WHERE rowid = ?1
            ON CONFLICT DO UPDATE SET bucket = excluded.bucket, id = excluded.id, at = excluded.at,
                sent_at = excluded.sent_at, properties = excluded.properties, trust = excluded.trust,
                accepted_at = excluded.accepted_at, message_id = excluded.message_id, place = excluded.place,
                step = excluded.step, step_index = excluded.step_index
            WHERE (excluded.accepted_at, excluded.message_id, excluded.place) > (accepted_at, message_id, place)
            """, SQLValue(row), SQLValue(now))
    }
}
