package import SQLite

extension MigrationSequence {
    /// The registry's own tables, beside the lane's.
    package static let registry = MigrationSequence(
        name: "attest-gateway",
        migrations: [
            Migration(
                1, "apps, keys",
                """
                -- Each setting says which command decided it: an older one that comes later is overtaken.
                CREATE TABLE apps (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, bucket INTEGER NOT NULL,
                    test_roots TEXT NOT NULL,
                    link_move_policy TEXT NOT NULL, policy_decided_at INTEGER NOT NULL, policy_decided_by TEXT NOT NULL,
                    unverified_links_grant INTEGER NOT NULL, grant_decided_at INTEGER NOT NULL,
                    grant_decided_by TEXT NOT NULL,
                    version INTEGER NOT NULL, changed_at INTEGER NOT NULL,
                    PRIMARY KEY (organisation, app)
                ) STRICT, WITHOUT ROWID;

                -- Known by their digest; the keys themselves never come here.
                CREATE TABLE keys (
                    organisation TEXT NOT NULL, id TEXT NOT NULL, bucket INTEGER NOT NULL, digest TEXT NOT NULL UNIQUE,
                    scope TEXT NOT NULL, added_at INTEGER NOT NULL, revoked_at INTEGER, version INTEGER NOT NULL,
                    PRIMARY KEY (organisation, id)
                ) STRICT, WITHOUT ROWID;

                -- One counter for the whole registry, raised by every change.
                CREATE TABLE registry_version (
                    id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL
                ) STRICT;
                INSERT INTO registry_version (id, version) VALUES (1, 0);
                """),
            Migration(
                2, "keys of purchases, team, Apple's number, tokens of notifications",
                """
                -- Lists are JSON. Tokens by their digests; the tokens themselves never come here.
                ALTER TABLE apps ADD COLUMN purchase_keys TEXT;
                ALTER TABLE apps ADD COLUMN purchase_keys_decided_at INTEGER;
                ALTER TABLE apps ADD COLUMN purchase_keys_decided_by TEXT;
                ALTER TABLE apps ADD COLUMN team_id TEXT;
                ALTER TABLE apps ADD COLUMN team_id_decided_at INTEGER;
                ALTER TABLE apps ADD COLUMN team_id_decided_by TEXT;
                ALTER TABLE apps ADD COLUMN apple_id INTEGER;
                ALTER TABLE apps ADD COLUMN apple_id_decided_at INTEGER;
                ALTER TABLE apps ADD COLUMN apple_id_decided_by TEXT;
                ALTER TABLE apps ADD COLUMN notification_tokens TEXT;
                ALTER TABLE apps ADD COLUMN notification_tokens_decided_at INTEGER;
                ALTER TABLE apps ADD COLUMN notification_tokens_decided_by TEXT;
                """),
            Migration(
                3, "devices, spent challenges, environments and limits of apps",
                """
                -- Lists and objects are JSON; of the limits each has a decision of its own.
                ALTER TABLE apps ADD COLUMN attest_environments TEXT;
                ALTER TABLE apps ADD COLUMN attest_environments_decided_at INTEGER;
                ALTER TABLE apps ADD COLUMN attest_environments_decided_by TEXT;
                ALTER TABLE apps ADD COLUMN limits TEXT;
                ALTER TABLE apps ADD COLUMN limit_decisions TEXT;

                -- The keys that Apple has vouched for. A version above 0 is the registry's that took tokens away last: the
                -- edges have to know of that for as long as there may be such tokens.
                CREATE TABLE devices (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, key_id TEXT NOT NULL, bucket INTEGER NOT NULL,
                    public_key BLOB NOT NULL, environment TEXT NOT NULL, is_test INTEGER NOT NULL,
                    generation INTEGER NOT NULL, least_generation INTEGER NOT NULL, counter INTEGER NOT NULL,
                    first_attested_at INTEGER NOT NULL, attested_at INTEGER NOT NULL, last_asserted_at INTEGER,
                    revoked_at INTEGER, revoked_why TEXT, changed_at INTEGER NOT NULL, version INTEGER NOT NULL,
                    receipt_digest TEXT, receipt_is_verified INTEGER NOT NULL, receipt_step TEXT, receipt_reason TEXT,
                    bundle_version TEXT, validation_category INTEGER, dead_tokens_until INTEGER,
                    PRIMARY KEY (organisation, app, key_id)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX devices_with_dead_tokens ON devices (dead_tokens_until)
                    WHERE dead_tokens_until IS NOT NULL;

                -- What the last attestation of each brought besides: the receipt for Apple's fraud assessment, and
                -- whatever else device and certificate say. Large, and seldom asked for.
                CREATE TABLE attestation_remains (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, key_id TEXT NOT NULL, bucket INTEGER NOT NULL,
                    receipt BLOB NOT NULL, extensions BLOB NOT NULL,
                    PRIMARY KEY (organisation, app, key_id)
                ) STRICT;

                -- Challenges by their SHA-256, each with the SHA-256 of the request that spent it and its answer.
                CREATE TABLE spent_challenges (
                    challenge BLOB PRIMARY KEY, bucket INTEGER NOT NULL, request BLOB NOT NULL,
                    spent_at INTEGER NOT NULL, forgotten_at INTEGER NOT NULL, outcome BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX spent_challenges_by_time ON spent_challenges (forgotten_at);
                """),
        ])
}
