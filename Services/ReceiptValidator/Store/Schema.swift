public import SQLite

extension MigrationSequence {
    /// The tables of receipt-validator. Times are milliseconds since 1970.
    ///
    /// Every row carries the bucket of the artifact's digest, so that a store can be split. Configuration has none:
    /// every partition has all of it.
    public static let receiptValidator = MigrationSequence(
        name: "receipt-validator",
        migrations: [
            Migration(
                1, "artifacts and verdicts",
                """
                -- Configuration, as JSON of the message.
                CREATE TABLE apps (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, version INTEGER NOT NULL, record BLOB NOT NULL,
                    PRIMARY KEY (organisation, app)
                ) STRICT, WITHOUT ROWID;

                -- What came in, as it came in.
                CREATE TABLE artifacts (
                    digest TEXT PRIMARY KEY, bucket INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
                    received_at INTEGER NOT NULL
                ) STRICT;
                -- What is held of it, for each app for which it was submitted: a transaction, or grounds of refusal.
                CREATE TABLE verdicts (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, digest TEXT NOT NULL, bucket INTEGER NOT NULL,
                    judged_at INTEGER NOT NULL, app_version INTEGER NOT NULL, is_test INTEGER NOT NULL,
                    "transaction" BLOB, step TEXT, reason TEXT, message TEXT,
                    PRIMARY KEY (organisation, app, digest)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX verdicts_refused ON verdicts (reason, judged_at) WHERE reason IS NOT NULL;
                """)
        ])
}
