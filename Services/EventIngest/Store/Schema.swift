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
                -- Configuration: the newest version of each app, and the names of events that each app has used.
                CREATE TABLE apps (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, version INTEGER NOT NULL, record BLOB NOT NULL,
                    PRIMARY KEY (organisation, app)
                ) STRICT, WITHOUT ROWID;
                -- In the app's own partition they are claimed; the others are told.
                CREATE TABLE event_names (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,
                    since INTEGER NOT NULL, trust TEXT, PRIMARY KEY (organisation, app, name)
                ) STRICT, WITHOUT ROWID;
                -- Which edition of an app's names that is, and who may claim more: NULL: anybody; by which command, where that
                -- was judged.
                CREATE TABLE event_books (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, version INTEGER NOT NULL, claims TEXT,
                    ruled_at INTEGER, ruled_by TEXT, PRIMARY KEY (organisation, app)
                ) STRICT, WITHOUT ROWID;
                -- Names that operators have taken back, when last, and up to which row of events that has been followed;
                -- NULL: to the end.
                CREATE TABLE released_names (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL, released_at INTEGER NOT NULL,
                    swept INTEGER, PRIMARY KEY (organisation, app, name)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX released_names_to_sweep ON released_names (swept) WHERE swept IS NOT NULL;
                -- Apps of which events wait whose names have been judged.
                CREATE TABLE judged_apps (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, judged_at INTEGER NOT NULL,
                    PRIMARY KEY (organisation, app)
                ) STRICT, WITHOUT ROWID;

                -- Whoever looks at events looks here: their names are the app's. Identity: what makes a repeat the same
                -- event of the user; of the rows of one identity the best is shown (`EventStore.isShown`), so that nobody
                -- displaces what is founded better than what he says. Not without rowid: they are read in the order in
                -- which they came.
                CREATE TABLE events (
                    organisation TEXT NOT NULL, user TEXT NOT NULL, app TEXT NOT NULL, identity BLOB NOT NULL,
                    bucket INTEGER NOT NULL, name TEXT NOT NULL, id TEXT, at INTEGER NOT NULL, sent_at TEXT,
                    properties BLOB, trust TEXT NOT NULL, accepted_at INTEGER NOT NULL, message_id TEXT NOT NULL,
                    place INTEGER NOT NULL, step TEXT, step_index INTEGER, stored_at INTEGER NOT NULL,
                    is_attested INTEGER NOT NULL AS (trust IN ('attested', 'verified'))
                ) STRICT;
                CREATE UNIQUE INDEX events_by_user ON events (organisation, user, app, identity, name, is_attested);
                -- The same, of names that are not judged yet.
                CREATE TABLE waiting_events (
                    organisation TEXT NOT NULL, user TEXT NOT NULL, app TEXT NOT NULL, identity BLOB NOT NULL,
                    bucket INTEGER NOT NULL, name TEXT NOT NULL, id TEXT, at INTEGER NOT NULL, sent_at TEXT,
                    properties BLOB, trust TEXT NOT NULL, accepted_at INTEGER NOT NULL, message_id TEXT NOT NULL,
                    place INTEGER NOT NULL, step TEXT, step_index INTEGER, stored_at INTEGER NOT NULL,
                    is_attested INTEGER NOT NULL AS (trust IN ('attested', 'verified'))
                ) STRICT;
                CREATE UNIQUE INDEX waiting_events_by_user
                    ON waiting_events (organisation, user, app, identity, name, is_attested);
                CREATE INDEX waiting_events_by_name ON waiting_events (organisation, app, name, is_attested);

                -- Who was erased, and up to when: for ever, under a digest; with the name until all rows have followed.
                -- Every partition has all of them.
                CREATE TABLE erasures (
                    organisation TEXT NOT NULL, user_digest BLOB NOT NULL, erased_at INTEGER NOT NULL,
                    command TEXT NOT NULL, user TEXT, PRIMARY KEY (organisation, user_digest, erased_at)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX erasures_to_follow ON erasures (erased_at) WHERE user IS NOT NULL;
                """),
            .funnel(2),
        ])
}
