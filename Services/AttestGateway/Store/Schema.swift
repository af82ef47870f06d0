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
        ])
}
