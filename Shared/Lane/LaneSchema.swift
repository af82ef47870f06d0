public import SQLite

extension MigrationSequence {
    /// The tables that every partition's store has, whatever its service keeps besides.
    ///
    /// Times are milliseconds since 1970. Every row carries its bucket, so that a store can be split.
    public static let lane = MigrationSequence(
        name: "lane",
        migrations: [
            Migration(
                1, "inbox, outbox, dead letters, numbers",
                """
                -- What has been applied or refused. Time-ordered ids make it grow at its end.
                CREATE TABLE inbox (
                    id TEXT PRIMARY KEY, bucket INTEGER NOT NULL, kind TEXT NOT NULL, digest BLOB NOT NULL,
                    applied_at INTEGER NOT NULL, answer BLOB
                ) WITHOUT ROWID;
                -- Strangers' messages stand under a digest, which is in no order; they are forgotten after a day.
                CREATE INDEX inbox_strangers ON inbox (applied_at) WHERE id >= 'sha256:';

                -- What has to be published; a row goes when the broker has confirmed it.
                CREATE TABLE outbox (
                    number INTEGER PRIMARY KEY, id TEXT NOT NULL, bucket INTEGER NOT NULL, exchange TEXT NOT NULL,
                    routing_key TEXT NOT NULL, mandatory INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL,
                    accepted_at INTEGER NOT NULL, cause TEXT NOT NULL, traceparent TEXT, body BLOB NOT NULL
                );

                -- What no verdict could be reached on, with every property, byte for byte.
                CREATE TABLE dead_letters (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, bucket INTEGER NOT NULL,
                    kind TEXT NOT NULL, key TEXT, reason TEXT NOT NULL, step TEXT NOT NULL, text TEXT NOT NULL,
                    version TEXT NOT NULL, exchange TEXT NOT NULL, routing_key TEXT NOT NULL,
                    attempts INTEGER NOT NULL, generation INTEGER NOT NULL, first_failure INTEGER NOT NULL,
                    last_failure INTEGER NOT NULL, properties BLOB NOT NULL, body BLOB NOT NULL
                );
                CREATE INDEX dead_letters_by_group ON dead_letters (reason, step, kind);
                CREATE INDEX dead_letters_by_id ON dead_letters (id);

                -- What waits in the ladder.
                CREATE TABLE retrying (
                    id TEXT PRIMARY KEY, bucket INTEGER NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL,
                    text TEXT NOT NULL, attempt INTEGER NOT NULL, first_failure INTEGER NOT NULL,
                    due INTEGER NOT NULL
                ) WITHOUT ROWID;

                -- What was in hand when a process may have died of it.
                CREATE TABLE suspects (
                    id TEXT PRIMARY KEY, bucket INTEGER NOT NULL, tries INTEGER NOT NULL
                ) WITHOUT ROWID;

                -- Which numbers of which publisher have arrived, as ranges.
                CREATE TABLE numbers (
                    publisher TEXT NOT NULL, routing_key TEXT NOT NULL, first INTEGER NOT NULL,
                    last INTEGER NOT NULL, bucket INTEGER NOT NULL, seen_at INTEGER NOT NULL,
                    PRIMARY KEY (publisher, routing_key, first)
                ) WITHOUT ROWID;
                CREATE TABLE checkpoints (
                    publisher TEXT NOT NULL, routing_key TEXT NOT NULL, bucket INTEGER NOT NULL,
                    through INTEGER NOT NULL, unconfirmed TEXT NOT NULL, final INTEGER NOT NULL,
                    arrived_at INTEGER NOT NULL, PRIMARY KEY (publisher, routing_key)
                ) WITHOUT ROWID;

                -- How many messages ended how.
                CREATE TABLE tallies (
                    bucket INTEGER NOT NULL, ending TEXT NOT NULL, count INTEGER NOT NULL,
                    PRIMARY KEY (bucket, ending)
                ) WITHOUT ROWID;

                -- Written while the lane is paused, to find out whether the store takes writes again.
                CREATE TABLE probes (id INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, written_at INTEGER NOT NULL);
                """)
        ])
}
