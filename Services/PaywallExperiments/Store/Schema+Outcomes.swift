internal import SQLite

extension Migration {
    /// Who has seen what, and what came of it.
    static func outcomes(_ number: Int) -> Migration {
        Migration(
            number, "impressions, exposures and outcomes",
            """
            -- The side of the install. Every impression, with what was rendered as it was sent.
            CREATE TABLE impressions (
                organisation TEXT NOT NULL, app TEXT NOT NULL, install TEXT NOT NULL, experiment TEXT NOT NULL,
                message_id TEXT NOT NULL, bucket INTEGER NOT NULL, environment TEXT NOT NULL, trust TEXT NOT NULL,
                accepted_at INTEGER NOT NULL, storefront TEXT, rendered BLOB NOT NULL,
                PRIMARY KEY (organisation, app, install, experiment, message_id)
            ) STRICT, WITHOUT ROWID;
            -- They are counted as they come: by what of the variant's offers was there. No storefront is an empty one.
            CREATE TABLE renderings (
                organisation TEXT NOT NULL, app TEXT NOT NULL, experiment TEXT NOT NULL, environment TEXT NOT NULL,
                trust TEXT NOT NULL, epoch INTEGER NOT NULL, variant TEXT NOT NULL, storefront TEXT NOT NULL,
                skus TEXT NOT NULL, bucket INTEGER NOT NULL, impressions INTEGER NOT NULL,
                PRIMARY KEY (
                    organisation, app, experiment, environment, trust, epoch, variant, storefront, skus, bucket)
            ) STRICT, WITHOUT ROWID;
            -- By which impression each install was exposed, when anybody told of one first, and since when there is a
            -- conversion.
            CREATE TABLE exposures (
                organisation TEXT NOT NULL, app TEXT NOT NULL, install TEXT NOT NULL, experiment TEXT NOT NULL,
                environment TEXT NOT NULL, bucket INTEGER NOT NULL, trust TEXT NOT NULL, epoch INTEGER NOT NULL,
                variant TEXT NOT NULL, exposed_at INTEGER NOT NULL, seen_at INTEGER NOT NULL, converted_at INTEGER,
                PRIMARY KEY (organisation, app, install, experiment, environment)
            ) STRICT;
            -- Results are counted from it alone.
            CREATE INDEX exposures_by_stratum ON exposures (
                organisation, app, experiment, environment, trust, epoch, variant, exposed_at, converted_at);
            CREATE INDEX assignments_by_stratum ON assignments (
                organisation, app, experiment, environment, trust, epoch, variant);
            -- What purchases count for, each as its user's partition tells it; without a date it counts no more. Of several
            -- who tell of one purchase the newest counts.
            CREATE TABLE outcomes (
                organisation TEXT NOT NULL, app TEXT NOT NULL, experiment TEXT NOT NULL, environment TEXT NOT NULL,
                install TEXT NOT NULL, realm TEXT NOT NULL, transaction_id TEXT NOT NULL, user TEXT NOT NULL,
                bucket INTEGER NOT NULL, revision INTEGER NOT NULL, named_at INTEGER NOT NULL,
                counts INTEGER NOT NULL, purchased_at INTEGER, is_first INTEGER, currency TEXT, paid INTEGER,
                refunded INTEGER, refund TEXT, rank INTEGER, trust TEXT,
                PRIMARY KEY (organisation, app, experiment, environment, install, realm, transaction_id, user)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX outcomes_by_user ON outcomes (organisation, user, named_at);

            -- The side of the user. Exposures of installs that have named him.
            CREATE TABLE user_exposures (
                organisation TEXT NOT NULL, user TEXT NOT NULL, app TEXT NOT NULL, experiment TEXT NOT NULL,
                environment TEXT NOT NULL, install TEXT NOT NULL, bucket INTEGER NOT NULL, trust TEXT NOT NULL,
                epoch INTEGER NOT NULL, variant TEXT NOT NULL, exposed_at INTEGER NOT NULL, named_at INTEGER NOT NULL,
                PRIMARY KEY (organisation, user, app, experiment, environment, install)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX user_exposures_by_time ON user_exposures (
                organisation, user, environment, app, experiment, trust, exposed_at);
            CREATE INDEX user_exposures_by_variant ON user_exposures (
                organisation, user, app, experiment, environment, trust, variant);
            -- What he was exposed to, and whether to several variants of it; by whose word.
            CREATE TABLE exposed_users (
                organisation TEXT NOT NULL, app TEXT NOT NULL, experiment TEXT NOT NULL, environment TEXT NOT NULL,
                trust TEXT NOT NULL, user TEXT NOT NULL, bucket INTEGER NOT NULL, of_several INTEGER NOT NULL,
                PRIMARY KEY (organisation, app, experiment, environment, trust, user)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX exposed_users_by_user ON exposed_users (organisation, user);
            -- What he bought, by the highest revision; each time that it was his; what was paid back.
            CREATE TABLE purchases (
                organisation TEXT NOT NULL, user TEXT NOT NULL, realm TEXT NOT NULL, environment TEXT NOT NULL,
                transaction_id TEXT NOT NULL, bucket INTEGER NOT NULL, revision INTEGER NOT NULL,
                chain_began_at INTEGER NOT NULL, told BLOB NOT NULL,
                PRIMARY KEY (organisation, user, realm, environment, transaction_id)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX purchases_by_time ON purchases (organisation, user, environment, chain_began_at);
            CREATE TABLE purchase_spans (
                organisation TEXT NOT NULL, user TEXT NOT NULL, realm TEXT NOT NULL, environment TEXT NOT NULL,
                transaction_id TEXT NOT NULL, linked_at INTEGER NOT NULL, bucket INTEGER NOT NULL,
                revision INTEGER NOT NULL, lost_at INTEGER,
                PRIMARY KEY (organisation, user, realm, environment, transaction_id, linked_at)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE refunds (
                organisation TEXT NOT NULL, user TEXT NOT NULL, realm TEXT NOT NULL, environment TEXT NOT NULL,
                transaction_id TEXT NOT NULL, bucket INTEGER NOT NULL, revision INTEGER NOT NULL, told BLOB NOT NULL,
                PRIMARY KEY (organisation, user, realm, environment, transaction_id)
            ) STRICT, WITHOUT ROWID;
            -- What installs' partitions were told of each purchase last; without a purchase that it counts no more.
            CREATE TABLE credits (
                organisation TEXT NOT NULL, user TEXT NOT NULL, realm TEXT NOT NULL, environment TEXT NOT NULL,
                transaction_id TEXT NOT NULL, app TEXT NOT NULL, experiment TEXT NOT NULL, install TEXT NOT NULL,
                bucket INTEGER NOT NULL, named_at INTEGER NOT NULL, revision INTEGER NOT NULL, purchase BLOB,
                PRIMARY KEY (organisation, user, realm, environment, transaction_id, app, experiment, install)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX credits_counting ON credits (
                organisation, user, realm, environment, transaction_id, app, experiment) WHERE purchase IS NOT NULL;

            -- Configuration. Who was erased, by digest; with his name while something is still to be forgotten.
            CREATE TABLE erasures (
                organisation TEXT NOT NULL, user_digest BLOB NOT NULL, erased_at INTEGER NOT NULL,
                command TEXT NOT NULL, user TEXT, PRIMARY KEY (organisation, user_digest, erased_at)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX erasures_pending ON erasures (erased_at) WHERE user IS NOT NULL;
            """)
    }
}
