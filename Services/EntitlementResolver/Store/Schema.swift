public import SQLite

extension MigrationSequence {
    /// The tables of entitlement-resolver. Times are milliseconds since 1970; JSON is that of the messages.
    ///
    /// Every row carries the bucket of the key that it belongs to, so that a store can be split. Configuration has
    /// none: every partition has all of it.
    public static let entitlementResolver = MigrationSequence(
        name: "entitlement-resolver",
        migrations: [
            Migration(
                1, "chains and customers",
                """
                -- Configuration: every version that has come, so that the past can be judged by the rules of its time.
                CREATE TABLE apps (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, version INTEGER NOT NULL,
                    changed_at INTEGER NOT NULL, record BLOB NOT NULL, PRIMARY KEY (organisation, app, version)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE mappings (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, product TEXT NOT NULL, version INTEGER NOT NULL,
                    changed_at INTEGER NOT NULL, entitlements BLOB NOT NULL,
                    PRIMARY KEY (organisation, app, product, version)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX mappings_by_product ON mappings (organisation, product, app, version);
                -- Whose entitlements a change of configuration may have changed, and how far that has been looked at:
                -- the holders of a product, or of anything where it is empty.
                CREATE TABLE reassessments (
                    organisation TEXT NOT NULL, product TEXT NOT NULL, after_product TEXT NOT NULL,
                    after_user TEXT NOT NULL, asked_at INTEGER NOT NULL, PRIMARY KEY (organisation, product)
                ) STRICT, WITHOUT ROWID;
                -- The newest command about each product, in the partition of its app: an older one is overtaken.
                CREATE TABLE mapping_commands (
                    organisation TEXT NOT NULL, app TEXT NOT NULL, product TEXT NOT NULL, bucket INTEGER NOT NULL,
                    accepted_at INTEGER NOT NULL, message_id TEXT NOT NULL, PRIMARY KEY (organisation, app, product)
                ) STRICT, WITHOUT ROWID;

                -- The side of the transaction. A chain's link, if anybody has claimed it.
                CREATE TABLE chains (
                    organisation TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL, bucket INTEGER NOT NULL,
                    revision INTEGER NOT NULL, user TEXT, rank INTEGER, since INTEGER,
                    PRIMARY KEY (organisation, realm, original)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE claims (
                    organisation TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL, bucket INTEGER NOT NULL,
                    accepted_at INTEGER NOT NULL, message_id TEXT NOT NULL, app TEXT NOT NULL, user TEXT NOT NULL,
                    rank INTEGER NOT NULL, policy TEXT NOT NULL, outcome TEXT NOT NULL,
                    PRIMARY KEY (organisation, realm, original, accepted_at, message_id)
                ) STRICT, WITHOUT ROWID;
                -- What the link was, from which revision on, and which message made it so.
                CREATE TABLE link_history (
                    organisation TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL, bucket INTEGER NOT NULL,
                    revision INTEGER NOT NULL, user TEXT NOT NULL, rank INTEGER NOT NULL, since INTEGER NOT NULL,
                    cause TEXT NOT NULL, known_at INTEGER NOT NULL,
                    PRIMARY KEY (organisation, realm, original, revision)
                ) STRICT, WITHOUT ROWID;
                -- The counting evidence of each transaction.
                CREATE TABLE evidence (
                    organisation TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL,
                    environment TEXT NOT NULL, id TEXT NOT NULL, bucket INTEGER NOT NULL, app TEXT NOT NULL,
                    digest TEXT NOT NULL, product TEXT NOT NULL, product_type TEXT, purchased_at INTEGER NOT NULL,
                    expires_at INTEGER, revoked_at INTEGER, signed_at INTEGER NOT NULL, ownership TEXT,
                    is_upgraded INTEGER, account_token TEXT, quantity INTEGER, price INTEGER, currency TEXT,
                    storefront TEXT, PRIMARY KEY (organisation, realm, original, environment, id)
                ) STRICT, WITHOUT ROWID;

                -- The side of the user. Seen: when a fact or a claim named him, first and last.
                CREATE TABLE customers (
                    organisation TEXT NOT NULL, user TEXT NOT NULL, bucket INTEGER NOT NULL,
                    created_at INTEGER NOT NULL, first_seen INTEGER, last_seen INTEGER,
                    PRIMARY KEY (organisation, user)
                ) STRICT, WITHOUT ROWID;
                -- What callers say of him, each fact with its own version; without a value it has been taken back.
                CREATE TABLE customer_facts (
                    organisation TEXT NOT NULL, user TEXT NOT NULL, sort TEXT NOT NULL, name TEXT NOT NULL,
                    bucket INTEGER NOT NULL, value BLOB, trust TEXT NOT NULL, accepted_at INTEGER NOT NULL,
                    message_id TEXT NOT NULL, PRIMARY KEY (organisation, user, sort, name)
                ) STRICT, WITHOUT ROWID;
                -- His chains, as their partitions tell. Not without rowid: pages go by it.
                CREATE TABLE holdings (
                    organisation TEXT NOT NULL, user TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL,
                    bucket INTEGER NOT NULL, is_held INTEGER NOT NULL, link_revision INTEGER, link_held INTEGER,
                    link_rank INTEGER, link_since INTEGER, PRIMARY KEY (organisation, user, realm, original)
                ) STRICT;
                CREATE TABLE held_subscriptions (
                    organisation TEXT NOT NULL, user TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL,
                    environment TEXT NOT NULL, bucket INTEGER NOT NULL, revision INTEGER NOT NULL,
                    rank INTEGER NOT NULL, transactions BLOB NOT NULL,
                    PRIMARY KEY (organisation, user, realm, original, environment)
                ) STRICT, WITHOUT ROWID;
                -- Who has ever held a product: where to look when its mapping changes.
                CREATE TABLE held_products (
                    organisation TEXT NOT NULL, product TEXT NOT NULL, user TEXT NOT NULL, bucket INTEGER NOT NULL,
                    PRIMARY KEY (organisation, product, user)
                ) STRICT, WITHOUT ROWID;
                -- What was told last of what is active.
                CREATE TABLE told_entitlements (
                    organisation TEXT NOT NULL, user TEXT NOT NULL, app TEXT NOT NULL, environment TEXT NOT NULL,
                    entitlement TEXT NOT NULL, bucket INTEGER NOT NULL, state BLOB NOT NULL,
                    PRIMARY KEY (organisation, user, app, environment, entitlement)
                ) STRICT, WITHOUT ROWID;
                -- When time alone will change his entitlements next.
                CREATE TABLE due_changes (
                    organisation TEXT NOT NULL, user TEXT NOT NULL, bucket INTEGER NOT NULL, due_at INTEGER NOT NULL,
                    PRIMARY KEY (organisation, user)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX due_changes_by_time ON due_changes (due_at);
                """),
            Migration(
                2, "all evidence",
                """
                ALTER TABLE evidence RENAME TO counting_evidence;
                -- All that artifacts tell of each transaction; one of them counts. What was taken back stays as a mark
                -- without a transaction, so that what comes late under a lower revision does not count.
                CREATE TABLE evidence (
                    organisation TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL,
                    environment TEXT NOT NULL, id TEXT NOT NULL, app TEXT NOT NULL, digest TEXT NOT NULL,
                    bucket INTEGER NOT NULL, revision INTEGER NOT NULL, counts INTEGER NOT NULL, product TEXT,
                    product_type TEXT, purchased_at INTEGER, expires_at INTEGER, revoked_at INTEGER,
                    signed_at INTEGER, ownership TEXT, is_upgraded INTEGER, account_token TEXT, quantity INTEGER,
                    price INTEGER, currency TEXT, storefront TEXT,
                    PRIMARY KEY (organisation, realm, original, environment, id, app, digest)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO evidence
                    SELECT organisation, realm, original, environment, id, app, digest, bucket, 0, 1, product,
                        product_type, purchased_at, expires_at, revoked_at, signed_at, ownership, is_upgraded,
                        account_token, quantity, price, currency, storefront
                    FROM counting_evidence;
                DROP TABLE counting_evidence;
                -- A chain is read for every change of it; what stores have signed anew over the years is not.
                CREATE INDEX evidence_that_counts ON evidence (organisation, realm, original)
                    WHERE counts = 1 OR product IS NULL;
                """),
            Migration(
                3, "what becomes of subscriptions",
                """
                -- When each came to be known here, if that was noted; what is taken back keeps what it told.
                ALTER TABLE evidence ADD COLUMN known_at INTEGER;
                ALTER TABLE evidence ADD COLUMN retracted_at INTEGER;
                ALTER TABLE evidence ADD COLUMN offer_type INTEGER;
                ALTER TABLE evidence ADD COLUMN offer TEXT;
                ALTER TABLE evidence ADD COLUMN offer_discount TEXT;
                ALTER TABLE evidence ADD COLUMN revocation_reason INTEGER;
                ALTER TABLE evidence ADD COLUMN revocation_type TEXT;
                ALTER TABLE evidence ADD COLUMN revocation_percentage INTEGER;
                -- Of each transaction two pieces may count: what was signed last, and what was signed last of what is no
                -- receipt, for what receipts do not say.
                UPDATE evidence SET counts = 1 WHERE ownership IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM evidence AS other
                    WHERE other.organisation = evidence.organisation AND other.realm = evidence.realm
                        AND other.original = evidence.original AND other.environment = evidence.environment
                        AND other.id = evidence.id AND other.ownership IS NOT NULL
                        AND (other.signed_at, other.revoked_at IS NOT NULL, other.digest, other.app)
                            > (evidence.signed_at, evidence.revoked_at IS NOT NULL, evidence.digest, evidence.app));
                DROP INDEX evidence_that_counts;
                CREATE INDEX evidence_that_counts ON evidence (organisation, realm, original)
                    WHERE counts > 0 OR product IS NULL OR retracted_at IS NOT NULL;

                -- What will become of a chain, as stores signed it: all of it, by source. What is taken back stays, with
                -- what it told, if it had come.
                CREATE TABLE renewals (
                    organisation TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL,
                    environment TEXT NOT NULL, app TEXT NOT NULL, digest TEXT NOT NULL, bucket INTEGER NOT NULL,
                    revision INTEGER NOT NULL, known_at INTEGER NOT NULL, retracted_at INTEGER, signed_at INTEGER,
                    renews_at INTEGER, grace_expires_at INTEGER, renewal BLOB,
                    PRIMARY KEY (organisation, realm, original, environment, app, digest)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX renewals_by_time ON renewals (organisation, realm, original, environment, signed_at)
                    WHERE retracted_at IS NULL;
                CREATE INDEX renewals_with_grace ON renewals (organisation, realm, original, environment)
                    WHERE retracted_at IS NULL AND grace_expires_at IS NOT NULL;
                ALTER TABLE held_subscriptions ADD COLUMN renewals BLOB;
                """),
            Migration(
                4, "what was known of users, and when",
                """
                -- What a user's partition knew from when until when, a row per version of each thing it was told: of a
                -- link (by revision), of the revision and rank of what a chain amounts to, of each transaction in it, of
                -- what will become of it. Nothing is told where a thing was withdrawn.
                CREATE TABLE holding_history (
                    organisation TEXT NOT NULL, user TEXT NOT NULL, sort TEXT NOT NULL, realm TEXT NOT NULL,
                    original TEXT NOT NULL, environment TEXT NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL,
                    bucket INTEGER NOT NULL, known_from INTEGER NOT NULL, known_until INTEGER, told BLOB,
                    PRIMARY KEY (organisation, user, sort, realm, original, environment, id, revision)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX holding_history_by_time ON holding_history (organisation, user, known_from);
                -- When the stores before this one learned it is not recorded: known from now on.
                INSERT INTO holding_history
                    SELECT organisation, user, 'link', realm, original, '', '', link_revision, bucket,
                        CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), NULL,
                        CAST(json_object(
                            'isHeld', json(iif(link_held, 'true', 'false')), 'rank', link_rank, 'since', link_since
                        ) AS BLOB)
                    FROM holdings WHERE link_revision IS NOT NULL;
                INSERT INTO holding_history
                    SELECT organisation, user, 'subscription', realm, original, environment, '', revision, bucket,
                        CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), NULL,
                        CAST(json_object('rank', rank) AS BLOB)
                    FROM held_subscriptions;
                INSERT INTO holding_history
                    SELECT organisation, user, 'transaction', realm, original, environment,
                        json_extract(told.value, '$.id'), revision, bucket,
                        CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), NULL, CAST(told.value AS BLOB)
                    FROM held_subscriptions, json_each(CAST(transactions AS TEXT)) AS told;
                INSERT INTO holding_history
                    SELECT organisation, user, 'renewals', realm, original, environment, '', revision, bucket,
                        CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), NULL, renewals
                    FROM held_subscriptions WHERE renewals IS NOT NULL;
                -- Absent: it came before it was noted; the time of the change stands in.
                ALTER TABLE apps ADD COLUMN known_at INTEGER;
                ALTER TABLE mappings ADD COLUMN known_at INTEGER;
                """),
            .claimants(5), .purchases(6),
        ])
}
