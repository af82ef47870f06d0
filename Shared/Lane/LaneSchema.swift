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
                """),
            Migration(
                2, "what operators do with dead letters",
                """
                -- Built anew, so that what is large stands at the end of a row: whoever reads the rest does not read it.
                CREATE TABLE letters (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, bucket INTEGER NOT NULL,
                    kind TEXT NOT NULL, key TEXT, reason TEXT NOT NULL, step TEXT NOT NULL, text TEXT NOT NULL,
                    version TEXT NOT NULL, exchange TEXT NOT NULL, routing_key TEXT NOT NULL,
                    attempts INTEGER NOT NULL, generation INTEGER NOT NULL, first_failure INTEGER NOT NULL,
                    last_failure INTEGER NOT NULL,
                    -- Where an imported one comes from.
                    origin TEXT,
                    -- By whom the body was changed; the first one is kept in original.
                    edited_at INTEGER, edited_by TEXT,
                    -- In the archive since, by whom, why; NULL: it waits for an operator.
                    discarded_at INTEGER, discarded_by TEXT, discarded_why TEXT,
                    properties BLOB NOT NULL, body BLOB NOT NULL, original BLOB
                );
                INSERT INTO letters (
                    number, id, bucket, kind, key, reason, step, text, version, exchange, routing_key, attempts,
                    generation, first_failure, last_failure, properties, body)
                SELECT number, id, bucket, kind, key, reason, step, text, version, exchange, routing_key, attempts,
                    generation, first_failure, last_failure, properties, body
                FROM dead_letters ORDER BY number;
                DROP TABLE dead_letters;
                ALTER TABLE letters RENAME TO dead_letters;
                CREATE INDEX dead_letters_by_id ON dead_letters (id);
                -- The groups are read from it alone.
                CREATE INDEX dead_letters_by_group
                    ON dead_letters (reason, step, kind, version, first_failure, last_failure)
                    WHERE discarded_at IS NULL;
                CREATE INDEX dead_letters_by_kind ON dead_letters (kind);
                CREATE INDEX dead_letters_by_key ON dead_letters (key);
                CREATE INDEX dead_letters_by_time ON dead_letters (last_failure);
                CREATE INDEX dead_letters_discarded ON dead_letters (discarded_at) WHERE discarded_at IS NOT NULL;

                -- What operators have selected, letter by letter: a preview and what became of it.
                CREATE TABLE selections (
                    run TEXT PRIMARY KEY, bucket INTEGER NOT NULL, filter TEXT NOT NULL, by TEXT NOT NULL,
                    made_at INTEGER NOT NULL,
                    -- Every letter is in.
                    complete INTEGER NOT NULL
                ) WITHOUT ROWID;
                CREATE TABLE selected_letters (
                    run TEXT NOT NULL, letter INTEGER NOT NULL, bucket INTEGER NOT NULL, id TEXT NOT NULL,
                    -- Of the message as it is replayed.
                    generation INTEGER NOT NULL,
                    outcome TEXT NOT NULL, reason TEXT, text TEXT, PRIMARY KEY (run, letter)
                ) WITHOUT ROWID;
                CREATE INDEX selected_letters_to_do ON selected_letters (run, letter)
                    WHERE outcome IN ('frozen', 'sending');
                CREATE INDEX selected_letters_sending ON selected_letters (letter) WHERE outcome = 'sending';
                -- The lane finds here what it has in hand.
                CREATE INDEX selected_letters_open ON selected_letters (id, generation)
                    WHERE outcome IN ('sending', 'sent', 'retrying');

                -- Who did what, to how many, from which preview.
                CREATE TABLE audit_trail (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, bucket INTEGER NOT NULL, at INTEGER NOT NULL,
                    last_at INTEGER NOT NULL, by TEXT NOT NULL, deed TEXT NOT NULL, why TEXT, count INTEGER NOT NULL,
                    run TEXT NOT NULL, filter TEXT, UNIQUE (run, deed, by)
                );
                """),
            Migration(
                3, "forgotten dead letters",
                """
                -- Nothing is kept of what it said since, by whom, why; it is in the archive.
                ALTER TABLE dead_letters ADD COLUMN forgotten_at INTEGER;
                ALTER TABLE dead_letters ADD COLUMN forgotten_by TEXT;
                ALTER TABLE dead_letters ADD COLUMN forgotten_why TEXT;
                CREATE INDEX dead_letters_forgotten ON dead_letters (forgotten_at) WHERE forgotten_at IS NOT NULL;
                """),
            Migration(
                4, "letters on their way as a stretch",
                """
                -- What a replay has in hand is marked in one row, not letter by letter: its frozen letters above
                -- claimed_after and not above claimed_through may have been sent.
                ALTER TABLE selections ADD COLUMN claimed_after INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE selections ADD COLUMN claimed_through INTEGER NOT NULL DEFAULT 0;
                CREATE INDEX selections_at_work ON selections (run) WHERE claimed_after < claimed_through;
                -- Nobody else may touch these: they may be on their queue.
                CREATE VIEW letters_on_their_way AS
                    SELECT run, letter FROM selected_letters WHERE outcome = 'sending'
                    UNION ALL
                    SELECT s.run, s.letter FROM selections o CROSS JOIN selected_letters s
                    WHERE o.claimed_after < o.claimed_through AND s.run = o.run AND s.letter > o.claimed_after
                        AND s.letter <= o.claimed_through AND s.outcome = 'frozen';
                """),
        ])
}
