internal import SQLite

extension Migration {
    /// What users were told of chains, the grounds of claims, and erasures.
    static func claimants(_ number: Int) -> Migration {
        Migration(
            number, "what claimants were told, and who was erased",
            """
            ALTER TABLE claims ADD COLUMN known_at INTEGER;
            -- The artifact that the rank rests on, the rank with it, and without it.
            ALTER TABLE claims ADD COLUMN digest TEXT;
            ALTER TABLE claims ADD COLUMN claimed_rank INTEGER;
            ALTER TABLE claims ADD COLUMN rank_without INTEGER;
            CREATE INDEX claims_by_artifact ON claims (organisation, realm, original, digest) WHERE digest IS NOT NULL;
            CREATE INDEX claims_by_user ON claims (organisation, user, realm, original, accepted_at);
            -- Those that took a chain from somebody, or would have.
            CREATE INDEX claims_contesting ON claims (accepted_at, message_id)
                WHERE outcome NOT IN ('established', 'raised', 'repeated', 'unpinned');
            -- The validator's code.
            ALTER TABLE evidence ADD COLUMN retracted_why TEXT;
            CREATE INDEX link_history_by_user ON link_history (organisation, user);
            CREATE INDEX held_products_by_user ON held_products (organisation, user);

            -- What each user was told last of each chain that he claimed: it is told again as it stands here, in this order.
            CREATE TABLE told_links (
                number INTEGER PRIMARY KEY, organisation TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL,
                user TEXT NOT NULL, bucket INTEGER NOT NULL, is_held INTEGER NOT NULL, rank INTEGER NOT NULL,
                since INTEGER NOT NULL, reason TEXT, revision INTEGER NOT NULL,
                UNIQUE (organisation, realm, original, user)
            ) STRICT;
            CREATE INDEX told_links_by_user ON told_links (organisation, user);
            CREATE TABLE told_subscriptions (
                organisation TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL, environment TEXT NOT NULL,
                bucket INTEGER NOT NULL, revision INTEGER NOT NULL,
                PRIMARY KEY (organisation, realm, original, environment)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO told_links (organisation, realm, original, user, bucket, is_held, rank, since, revision)
                SELECT organisation, realm, original, user, bucket, 1, rank, since, (
                    SELECT MAX(h.revision) FROM link_history AS h
                    WHERE h.organisation = c.organisation AND h.realm = c.realm AND h.original = c.original)
                FROM chains AS c WHERE user IS NOT NULL;
            -- Who lost it: by the change that took it from him last.
            INSERT INTO told_links (organisation, realm, original, user, bucket, is_held, rank, since, reason, revision)
                SELECT organisation, realm, original, user, bucket, 0, next_rank, next_since,
                    iif(next_rank > rank, 'outranked', 'moved'), MAX(next_revision)
                FROM (
                    SELECT *, LEAD(user) OVER chain AS next_user, LEAD(rank) OVER chain AS next_rank,
                        LEAD(since) OVER chain AS next_since, LEAD(revision) OVER chain AS next_revision
                    FROM link_history
                    WINDOW chain AS (PARTITION BY organisation, realm, original ORDER BY revision)
                )
                WHERE next_user <> user GROUP BY organisation, realm, original, user
                ON CONFLICT DO NOTHING;
            -- Who never had it was told nothing; the next time around he is.
            INSERT INTO told_links (organisation, realm, original, user, bucket, is_held, rank, since, reason, revision)
                SELECT l.organisation, l.realm, l.original, l.user, l.bucket, 0, c.rank, MAX(l.accepted_at), l.outcome,
                    c.revision
                FROM claims AS l JOIN chains AS c
                    ON c.organisation = l.organisation AND c.realm = l.realm AND c.original = l.original
                WHERE c.user IS NOT NULL AND l.outcome IN ('outranked', 'anonymous', 'kept', 'still_active')
                GROUP BY l.organisation, l.realm, l.original, l.user
                ON CONFLICT DO NOTHING;
            -- How far this partition has come with telling everything again.
            CREATE TABLE retelling (
                id INTEGER PRIMARY KEY CHECK (id = 0), began_at INTEGER NOT NULL, through INTEGER NOT NULL,
                after INTEGER NOT NULL
            ) STRICT;

            -- Who was erased, up to when, in every partition; named only until all chains have followed.
            CREATE TABLE erasures (
                organisation TEXT NOT NULL, user_digest BLOB NOT NULL, erased_at INTEGER NOT NULL,
                command TEXT NOT NULL, user TEXT, PRIMARY KEY (organisation, user_digest, erased_at)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX erasures_pending ON erasures (erased_at) WHERE user IS NOT NULL;
            -- Whose claims to a chain stand under the command that erased him.
            CREATE TABLE erased_claimants (
                organisation TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL, command TEXT NOT NULL,
                bucket INTEGER NOT NULL, erased_at INTEGER NOT NULL,
                PRIMARY KEY (organisation, realm, original, command)
            ) STRICT, WITHOUT ROWID;
            """)
    }
}
