internal import Lane
public import Messages
public import SQLite

/// What the registry has told of apps: the newest version of each.
///
/// Its table belongs to the service: `apps (organisation, app, version, record, PRIMARY KEY (organisation, app))`.
public enum AppStore {
    /// The app as it is now; nil: not heard of.
    public static func record(
        of app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> AppRecord? {
        try store.first(
            "SELECT record FROM apps WHERE organisation = ? AND app = ?", SQLValue(organisation), SQLValue(app)
        ) { try $0.json(0) }
    }

    /// Whether the registry has told of an app.
    public static func knows(
        _ app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            "SELECT 1 FROM apps WHERE organisation = ? AND app = ?", SQLValue(organisation), SQLValue(app))
    }

    /// Every app that the registry has told of.
    public static func all(in store: borrowing some Reading & ~Copyable) throws -> [AppRecord] {
        try store.all("SELECT record FROM apps") { try $0.json(0) }
    }

    /// Keeps a record unless a newer one is there.
    public static func record(_ record: AppRecord, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO apps (organisation, app, version, record) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET version = excluded.version, record = excluded.record
            WHERE excluded.version > version
            """, SQLValue(record.organisation), SQLValue(record.app), SQLValue(record.version),
            .blob(try MessageJSON.encode(record)))
    }
}
