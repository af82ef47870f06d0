internal import Lane
internal import Messages
internal import SQLite

/// What the registry has told of apps: every version of every app.
enum AppStore {
    /// The app as it is now: its highest version. Nil: not heard of.
    static func current(
        _ app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> AppRecord? {
        try store.first(
            "SELECT record FROM apps WHERE organisation = ? AND app = ? ORDER BY version DESC LIMIT 1",
            SQLValue(organisation), SQLValue(app)
        ) { try $0.json(0) }
    }

    /// The app as it was at `time`: the highest version of then, or the first that is known.
    static func record(
        of app: AppID, of organisation: OrganisationID, at time: Timestamp,
        in store: borrowing some Reading & ~Copyable
    ) throws -> AppRecord? {
        try store.first(
            """
            SELECT record FROM apps WHERE organisation = ?1 AND app = ?2
            ORDER BY changed_at <= ?3 DESC, CASE WHEN changed_at <= ?3 THEN -version ELSE version END LIMIT 1
            """, SQLValue(organisation), SQLValue(app), SQLValue(time)
        ) { try $0.json(0) }
    }

    /// Every version of the app that was known at `time`, and since when, the newest of them first: up to 1,000.
    static func versions(
        of app: AppID, of organisation: OrganisationID, knownAt time: Timestamp,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [ConfigurationHistory.Known<AppRecord>] {
        try store.all(
            """
            SELECT record, IFNULL(known_at, changed_at) FROM apps
            WHERE organisation = ? AND app = ? AND IFNULL(known_at, changed_at) <= ? ORDER BY version DESC LIMIT 1000
            """, SQLValue(organisation), SQLValue(app), SQLValue(time)
        ) { (try $0.json(0), try $0.time(1)) }
    }

    /// Keeps a version of an app; one that is there already changes nothing.
    static func record(_ record: AppRecord, knownAt: Timestamp, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO apps (organisation, app, version, changed_at, record, known_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, SQLValue(record.organisation), SQLValue(record.app), SQLValue(record.version),
            SQLValue(record.changedAt), .blob(try MessageJSON.encode(record)), SQLValue(knownAt))
    }
}
