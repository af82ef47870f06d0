internal import SQLite

extension Migration {
    /// What was told of users' purchases.
    static func purchases(_ number: Int) -> Migration {
        Migration(
            number, "what was told of purchases",
            """
            -- What was told last of each transaction of a user, in JSON, and under which revision.
            CREATE TABLE told_purchases (
                organisation TEXT NOT NULL, user TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL,
                environment TEXT NOT NULL, id TEXT NOT NULL, bucket INTEGER NOT NULL, revision INTEGER NOT NULL,
                app TEXT, told BLOB NOT NULL, PRIMARY KEY (organisation, user, realm, original, environment, id)
            ) STRICT, WITHOUT ROWID;
            -- Chains of which there may be something new to tell. What a store held before is told when it is next told
            -- to the user again.
            CREATE TABLE untold_purchases (
                organisation TEXT NOT NULL, user TEXT NOT NULL, realm TEXT NOT NULL, original TEXT NOT NULL,
                bucket INTEGER NOT NULL, app TEXT, due_at INTEGER NOT NULL,
                PRIMARY KEY (organisation, user, realm, original)
            ) STRICT, WITHOUT ROWID;
            """)
    }
}
