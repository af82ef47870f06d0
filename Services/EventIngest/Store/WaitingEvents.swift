internal import Lane
internal import Messages
internal import SQLite

/// Events whose names were not known when they came, and what becomes of them once the names are judged.
enum WaitingEvents {
    /// What became of some of them.
    struct Settled {
        /// Their names are the app's: from now on they are seen.
        var shown = 0
        /// Their names are not, by why.
        var dropped: [EventFault: Int] = [:]
    }

    /// Whether events of this name, and of no less trust, wait already, and so the name has been proposed.
    static func contain(
        _ name: EventName, of app: App, isAttested: Bool, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            """
            SELECT 1 FROM waiting_events WHERE organisation = ? AND app = ? AND name = ? AND is_attested >= ? LIMIT 1
            """, SQLValue(app.organisation), SQLValue(app.id), SQLValue(name), SQLValue(isAttested))
    }

    /// Names that are to be proposed anew: they were taken back, and so an older proposal may have come to nothing.
    static func proposals(
        of app: App, only name: EventName? = nil, in store: borrowing some Reading & ~Copyable
    ) throws -> [EventNamePropose] {
        try store.all(
            """
            SELECT w.name, MAX(w.is_attested), MAX(w.accepted_at) FROM released_names AS r JOIN waiting_events AS w
                ON w.organisation = r.organisation AND w.app = r.app AND w.name = r.name AND w.accepted_at > r.released_at
            WHERE r.organisation = ?1 AND r.app = ?2 AND (?3 IS NULL OR r.name = ?3) GROUP BY w.name
            """, SQLValue(app.organisation), SQLValue(app.id), SQLValue(name)
        ) { row in
            EventNamePropose(
                organisation: app.organisation, app: app.id, names: [try row.id(0)],
                trust: try row.bool(1) ? .attested : .unverified, acceptedAt: try row.time(2))
        }
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
        let isForAttested = try NameStore.isForAttested(app, in: transaction)
        let judged = try transaction.all(
            """
            SELECT w.rowid, r.name IS NOT NULL, n.name IS NOT NULL, w.is_attested FROM waiting_events AS w
                LEFT JOIN event_names AS n
                    ON n.organisation = w.organisation AND n.app = w.app AND n.name = w.name
                LEFT JOIN released_names AS r
                    ON r.organisation = w.organisation AND r.app = w.app AND r.name = w.name
                        AND r.released_at >= w.accepted_at
            WHERE w.organisation = ?1 AND w.app = ?2
                AND (?3 OR n.name IS NOT NULL OR r.name IS NOT NULL OR (?4 AND w.is_attested = 0)) LIMIT ?5
            """, SQLValue(app.organisation), SQLValue(app.id), SQLValue(isFull), SQLValue(isForAttested),
            SQLValue(limit)
        ) {
            (row: try $0.int64(0), isReleased: try $0.bool(1), isAccepted: try $0.bool(2), isAttested: try $0.bool(3))
        }
        var settled = Settled()
        for (row, isReleased, isAccepted, isAttested) in judged {
            if isAccepted && !isReleased { try show(row, now: now, in: transaction) }
            try transaction.run("DELETE FROM waiting_events WHERE rowid = ?", SQLValue(row))
            if isReleased {
                settled.dropped[.nameReleased, default: 0] += 1
            } else if isAccepted {
                settled.shown += 1
            } else {
                let fault = isForAttested && !isAttested ? EventFault.nameUnclaimable : .nameOverBudget
                settled.dropped[fault, default: 0] += 1
            }
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

    private static func show(_ row: Int64, now: Timestamp, in transaction: borrowing Transaction) throws {
        try transaction.run(move(to: "events", from: "waiting_events", storedAt: "?2"), SQLValue(row), SQLValue(now))
    }

    /// Puts an event aside that was seen before its name was taken back.
    static func putAside(_ row: Int64, in transaction: borrowing Transaction) throws {
        try transaction.run(move(to: "waiting_events", from: "events", storedAt: "stored_at"), SQLValue(row))
        try transaction.run("DELETE FROM events WHERE rowid = ?", SQLValue(row))
    }

    /// Of two of one identity, name and trust the one that was accepted last stays, as in ``EventStore``.
    private static func move(to table: String, from other: String, storedAt: String) -> SQL {
        SQL(
            composed: """
                INSERT INTO \(table) (organisation, user, app, identity, bucket, name, id, at, sent_at, properties, trust,
                    accepted_at, message_id, place, step, step_index, stored_at)
                SELECT organisation, user, app, identity, bucket, name, id, at, sent_at, properties, trust,
                    accepted_at, message_id, place, step, step_index, \(storedAt) FROM \(other) WHERE rowid = ?1
                ON CONFLICT DO UPDATE SET bucket = excluded.bucket, id = excluded.id, at = excluded.at,
                    sent_at = excluded.sent_at, properties = excluded.properties, trust = excluded.trust,
                    accepted_at = excluded.accepted_at, message_id = excluded.message_id, place = excluded.place,
                    step = excluded.step, step_index = excluded.step_index
                WHERE (excluded.accepted_at, excluded.message_id, excluded.place) > (accepted_at, message_id, place)
                """)
    }
}
