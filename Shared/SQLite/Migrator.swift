/// Brings a store's tables up to what the program knows, one transaction for each migration.
struct Migrator {
    let schema: [MigrationSequence]

    /// Makes the table that remembers. Part of making a store.
    static func prepare(_ connection: Connection) throws(SQLiteError) {
        try connection.runOnce(
            """
            CREATE TABLE store_migrations (
                sequence TEXT NOT NULL,
                version INTEGER NOT NULL,
                name TEXT NOT NULL,
                script TEXT NOT NULL,
                PRIMARY KEY (sequence, version)
            ) STRICT, WITHOUT ROWID
            """)
    }

    /// - Throws: ``StoreRefusal`` before anything was changed; ``SQLiteError`` when a migration failed, in which case
    ///   those before it stay.
    func migrate(_ connection: Connection, at path: String) throws {
        let steps = try plan(for: connection, at: path).steps
        guard !steps.isEmpty else { return }
        // Rebuilding a table breaks references for a moment; they are checked as a whole before each commit
        // (sqlite.org/lang_altertable.html#otheralter).
        try connection.enforceForeignKeys(false)
        for step in steps { try run(step, on: connection) }
        try connection.enforceForeignKeys(true)
    }

    private func plan(for connection: Connection, at path: String) throws -> MigrationPlan {
        let applied = try connection.snapshot {
            try Snapshot(on: connection).all(
                "SELECT sequence, version, script FROM store_migrations ORDER BY sequence, version DESC"
            ) { row in
                MigrationPlan.Applied(
                    sequence: try row.text(0), version: try row.int(1), script: try row.text(2))
            }
        }
        do {
            return try MigrationPlan(from: applied, to: schema)
        } catch .newer(let sequence, let found, let known) {
            throw StoreRefusal.storeIsNewer(path: path, sequence: sequence, found: found, known: known)
        } catch .changed(let sequence, let version) {
            throw StoreRefusal.migrationChanged(path: path, sequence: sequence, version: version)
        }
    }

    private func run(_ step: MigrationPlan.Step, on connection: Connection) throws {
        let migration = step.migration
        try connection.transaction {
            try connection.runScript(migration.script)
            guard try !Transaction(on: connection).exists("PRAGMA foreign_key_check") else {
                throw SQLiteError.misuse(
                    "migrate", "\(step.sequence) \(migration.version) leaves references to rows that are not there")
            }
            try connection.run(
                "INSERT INTO store_migrations (sequence, version, name, script) VALUES (?, ?, ?, ?)",
                [
                    SQLValue(step.sequence), SQLValue(migration.version), SQLValue(migration.name),
                    SQLValue(migration.script),
                ])
        }
    }
}
