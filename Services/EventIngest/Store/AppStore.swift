internal import Lane
internal import Messages
internal import SQLite

/// What the registry has told of apps: the newest version of each.
enum AppStore {
    /// The app as it is now; nil: not heard of.
    static func record(
        of app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> AppRecord? {
        try store.first(
            "SELECT record FROM apps WHERE organisation = ? AND app = ?", SQLValue(organisation), SQLValue(app)
        ) { try $0.json(0) }
    }

    /// Whether the registry has told of an app.
    static func knows(_ app: App, in store: borrowing some Reading & ~Copyable) throws -> Bool {
        try store.exists(
            "SELECT 1 FROM apps WHERE organisation = ? AND app = ?", SQLValue(app.organisation), SQLValue(app.id))
    }

    /// Keeps a record unless a newer one is there.
    static func record(_ record: AppRecord, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO apps (organisation, app, version, record) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET version = excluded.version, record = excluded.record
            WHERE excluded.version > version
            """, SQLValue(record.organisation), SQLValue(record.app), SQLValue(record.version),
            .blob(try MessageJSON.encode(record)))
    }
}
