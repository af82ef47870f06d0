internal import SQLite

extension Migration {
    /// What the funnel counts, and the facts that it follows from.
    static func funnel(_ number: Int) -> Migration {
        Migration(
            number, "funnel",
            """
            -- A user's onboarding steps, without his other events: what attested callers told first, then by time.
            CREATE INDEX onboarding_steps ON events (organisation, user, app, is_attested DESC, at, identity)
                WHERE name = 'onboarding_step';
            -- Where the newest event of a step puts it.
            CREATE INDEX declared_steps ON events (organisation, app, bucket, step, is_attested, at, step_index)
                WHERE name = 'onboarding_step';
            -- Paywalls that users have seen, as the experiments tell. Not without rowid: erasures go by it.
            CREATE TABLE funnel_exposures (
                organisation TEXT NOT NULL, user TEXT NOT NULL, app TEXT NOT NULL, environment TEXT NOT NULL,
                install TEXT NOT NULL, experiment TEXT NOT NULL, is_attested INTEGER NOT NULL, bucket INTEGER NOT NULL,
                exposed_at INTEGER NOT NULL, named_at INTEGER NOT NULL,
                UNIQUE (organisation, user, app, environment, install, experiment, is_attested)
            ) STRICT;
            -- What users have bought, as the resolver tells: of each transaction the highest revision, of the purchase
            -- and of its refund; 0: not told yet. Counts: it is his, and he has paid for it himself.
            CREATE TABLE funnel_purchases (
                organisation TEXT NOT NULL, user TEXT NOT NULL, realm TEXT NOT NULL, environment TEXT NOT NULL,
                original TEXT NOT NULL, id TEXT NOT NULL, bucket INTEGER NOT NULL, told_at INTEGER NOT NULL,
                revision INTEGER NOT NULL, app TEXT, purchased_at INTEGER, counts INTEGER NOT NULL,
                refund_revision INTEGER NOT NULL, is_refunded INTEGER NOT NULL,
                UNIQUE (organisation, user, realm, environment, original, id)
            ) STRICT;

            -- Steps that the users of one bucket were shown, who know them by their number: how many users, and of how many
            -- attested callers told it. What nobody knows any more has no users, and its number is given away again.
            CREATE TABLE funnel_steps (
                organisation TEXT NOT NULL, app TEXT NOT NULL, bucket INTEGER NOT NULL, step TEXT NOT NULL,
                number INTEGER NOT NULL, users INTEGER NOT NULL, attested_users INTEGER NOT NULL,
                PRIMARY KEY (organisation, app, bucket, step)
            ) STRICT, WITHOUT ROWID;
            CREATE UNIQUE INDEX funnel_step_numbers ON funnel_steps (organisation, app, bucket, number);
            CREATE INDEX spare_funnel_steps ON funnel_steps (organisation, app, bucket) WHERE users = 0;
            -- How far each user of an app has come: all that is counted, in one row for each of the views that differ
            -- (`FunnelView`). Steps: the number of each with the answer to it.
            CREATE TABLE funnel_users (
                organisation TEXT NOT NULL, app TEXT NOT NULL, user TEXT NOT NULL, views INTEGER NOT NULL,
                bucket INTEGER NOT NULL, steps BLOB NOT NULL, stepped_at INTEGER, exposed_at INTEGER,
                purchased_at INTEGER, is_refunded INTEGER NOT NULL, sandbox_exposed_at INTEGER,
                sandbox_purchased_at INTEGER, is_sandbox_refunded INTEGER NOT NULL,
                PRIMARY KEY (organisation, app, user, views)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX funnel_users_by_user ON funnel_users (organisation, user);
            -- Whose row does not yet say what the facts say.
            CREATE TABLE funnel_changes (
                organisation TEXT NOT NULL, user TEXT NOT NULL, app TEXT NOT NULL, bucket INTEGER NOT NULL,
                PRIMARY KEY (organisation, user, app)
            ) STRICT, WITHOUT ROWID;
            -- Whatever becomes of a fact, and whoever does it: its user's row has to follow.
            \(following("events", if: mayShow))
            \(following("funnel_exposures", if: { "\($0).app <> ''" }))
            \(following("funnel_purchases", if: { "\($0).app IS NOT NULL" }))
            """)
    }

    /// Whether a row of `events` may be a step, or keep one from being shown: by the id of a step it may be under any name.
    private static func mayShow(_ row: String) -> String {
        """
        (\(row).name = 'onboarding_step' OR \(row).id IS NOT NULL AND EXISTS (
            SELECT 1 FROM events WHERE organisation = \(row).organisation AND user = \(row).user AND app = \(row).app
                AND identity = \(row).identity AND name = 'onboarding_step'))
        """
    }

    /// Triggers that note whose row is out of date when a row of `table` comes, changes or goes.
    private static func following(_ table: String, if condition: (String) -> String) -> String {
        func note(_ row: String) -> String {
            """
            INSERT INTO funnel_changes (organisation, user, app, bucket)
            SELECT \(row).organisation, \(row).user, \(row).app, \(row).bucket WHERE \(condition(row))
            ON CONFLICT DO NOTHING;
            """
        }
        return """
            CREATE TRIGGER \(table)_come AFTER INSERT ON \(table) WHEN \(condition("NEW")) BEGIN \(note("NEW")) END;
            CREATE TRIGGER \(table)_change AFTER UPDATE ON \(table) BEGIN \(note("OLD")) \(note("NEW")) END;
            CREATE TRIGGER \(table)_go AFTER DELETE ON \(table) WHEN \(condition("OLD")) BEGIN \(note("OLD")) END;
            """
    }
}
