public import SQLite

extension MigrationSequence {
    /// The tables of paywall-experiments. Times are milliseconds since 1970; JSON is that of the messages.
    ///
    /// Every row carries the bucket of the key that it belongs to, so that a store can be split. Configuration has
    /// none: every partition has all of it.
    public static let paywallExperiments = MigrationSequence(
        name: "paywall-experiments",
        migrations: [
            Migration(
                1, "configuration, experiments and assignments",
                """
                -- Configuration: the newest version of each app.
                CREATE TABLE apps (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, version INTEGER NOT NULL, record BLOB NOT NULL,
                    PRIMARY KEY (organisation, app)
                ) STRICT, WITHOUT ROWID;
                -- Every version of every paywall and placement; the highest counts.
                CREATE TABLE paywalls (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, entitlement TEXT NOT NULL, version INTEGER NOT NULL,
                    changed_at INTEGER NOT NULL, skus BLOB NOT NULL,
                    PRIMARY KEY (organisation, app, entitlement, version)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE placements (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, placement TEXT NOT NULL, version INTEGER NOT NULL,
                    changed_at INTEGER NOT NULL, entitlement TEXT,
                    PRIMARY KEY (organisation, app, placement, version)
                ) STRICT, WITHOUT ROWID;
                -- The newest version of every experiment; its past is in the record.
                CREATE TABLE experiments (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, id TEXT NOT NULL, entitlement TEXT NOT NULL,
                    state TEXT NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER, version INTEGER NOT NULL,
                    record BLOB NOT NULL, PRIMARY KEY (organisation, app, id)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX experiments_alive ON experiments (organisation, app, entitlement)
                    WHERE state <> 'stopped';
                -- The newest command about each of them, in the partition of its app: an older one is overtaken.
                CREATE TABLE commands (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL,
                    bucket INTEGER NOT NULL, accepted_at INTEGER NOT NULL, message_id TEXT NOT NULL,
                    PRIMARY KEY (organisation, app, subject, name)
                ) STRICT, WITHOUT ROWID;

                -- The side of the install: to what it was assigned, and as whom it was logged in since.
                CREATE TABLE assignments (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, install TEXT NOT NULL, environment TEXT NOT NULL,
                    experiment TEXT NOT NULL, bucket INTEGER NOT NULL, variant TEXT NOT NULL, epoch INTEGER NOT NULL,
                    trust TEXT NOT NULL, assigned_at INTEGER NOT NULL,
                    PRIMARY KEY (organisation, app, install, environment, experiment)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE install_users (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, install TEXT NOT NULL, environment TEXT NOT NULL,
                    user TEXT NOT NULL, bucket INTEGER NOT NULL, named_at INTEGER NOT NULL, is_attested INTEGER NOT NULL,
                    PRIMARY KEY (organisation, app, install, environment, user)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX install_users_by_user ON install_users (organisation, user);
                """),
            .outcomes(2),
        ])
}
