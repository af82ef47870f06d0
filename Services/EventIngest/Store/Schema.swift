public import SQLite

extension MigrationSequence {
    /// The tables of event-ingest. Times are milliseconds since 1970; JSON is that of the messages.
    ///
    /// Every row carries the bucket of the key that it belongs to, so that a store can be split. Configuration has
    /// none: every partition has all of it.
    public static let eventIngest = MigrationSequence(
        name: "event-ingest",
        migrations: [
            Migration(
                1, "events",
                """
                -- Configuration: the newest version of each app.
                CREATE TABLE apps (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, version INTEGER NOT NULL, record BLOB NOT NULL,
                    PRIMARY KEY (organisation, app)
                ) STRICT, WITHOUT ROWID;
                """)
        ])
}
