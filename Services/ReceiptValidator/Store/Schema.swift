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
                """),
            Migration(
                2, "artifacts of every kind",
                """
                ALTER TABLE verdicts RENAME TO transaction_verdicts;
                DROP INDEX verdicts_refused;
                -- What is held of an artifact as one kind, for each app for which it was submitted: the facts that it
                -- tells, or grounds of refusal; how often that has turned, and by which edition of the rules it was
                -- judged, as of when.
                CREATE TABLE verdicts (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, digest TEXT NOT NULL, kind TEXT NOT NULL,
                    bucket INTEGER NOT NULL, as_of INTEGER NOT NULL, judged_at INTEGER NOT NULL,
                    app_version INTEGER NOT NULL, is_test INTEGER NOT NULL, ruleset INTEGER NOT NULL,
                    revision INTEGER NOT NULL, facts BLOB, step TEXT, reason TEXT, message TEXT,
                    PRIMARY KEY (organisation, app, digest, kind)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO verdicts
                    SELECT organisation, app, digest, 'transaction', bucket, judged_at, judged_at, app_version, is_test,
                        1, 0, CAST('{"transactions":[' || CAST("transaction" AS TEXT) || ']}' AS BLOB), step, reason,
                        message
                    FROM transaction_verdicts;
                DROP TABLE transaction_verdicts;
                CREATE INDEX verdicts_refused ON verdicts (reason, judged_at) WHERE reason IS NOT NULL;
                CREATE INDEX verdicts_by_digest ON verdicts (digest);
                -- Of the text; what was made of it is in the verdicts.
                ALTER TABLE artifacts DROP COLUMN kind;
                """),
        ])
}
