public import FoundationEssentials

extension Database {
    /// Makes a new store and opens it. It appears at `path` complete or not at all.
    ///
    /// - Parameters:
    ///   - path: the file; its folder has to be there.
    ///   - identity: what it is for; checked at each later opening.
    ///   - schema: the migrations of each module that keeps tables in it.
    ///   - createdAt: kept in the store for the operator.
    /// - Throws: ``StoreRefusal/storeExists(path:)`` and other ``StoreRefusal``s; ``SQLiteError``.
    public static func create(
        at path: String, as identity: StoreIdentity, schema: [MigrationSequence], createdAt: Date,
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        let database = Database(path: path, identity: identity, configuration: configuration)
        try await database.create(schema: schema, createdAt: createdAt)
        return database
    }

    /// Opens a store that is there, and brings it up to the program's schema.
    ///
    /// - Throws: ``StoreRefusal`` when it is missing, held by another process, damaged, made for something else, newer, or
    ///   on a full disk; nothing has been changed then. ``SQLiteError`` when a migration's statement fails.
    public static func open(
        at path: String, as identity: StoreIdentity, schema: [MigrationSequence],
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        let database = Database(path: path, identity: identity, configuration: configuration)
        try await database.open(schema: schema)
        return database
    }

    private func create(schema: [MigrationSequence], createdAt: Date) async throws {
        let lock = try StoreLock(forStoreAt: path)
        guard !StoreFile(path: path).exists else { throw StoreRefusal.storeExists(path: path) }
        let draft = StoreFile(path: path + ".new")
        // Left over if an earlier attempt was cut short.
        try draft.remove()
        try draft.create()
        try fill(draft, schema: schema, createdAt: createdAt)
        try draft.move(to: path)
        try await open(schema: schema, holding: lock)
    }

    private func fill(_ draft: StoreFile, schema: [MigrationSequence], createdAt: Date) throws {
        let connection = try Connection(at: draft.path, as: .writer, configuration)
        try connection.useWriteAheadLog()
        let milliseconds = Int64(createdAt.timeIntervalSince1970 * 1000)
        try StoreIdentityTable(connection: connection).create(identity, createdAt: milliseconds)
        try Migrator.prepare(connection)
        try Migrator(schema: schema).migrate(connection, at: draft.path)
        // Only the file itself is moved, so nothing may be left in the log.
        guard try connection.checkpoint() else {
            throw SQLiteError.misuse("create", "Somebody else reads \(draft.path)")
        }
    }

    private func open(schema: [MigrationSequence]) async throws {
        // Before the lock, whose file would be made beside a store that is not there.
        guard StoreFile(path: path).exists else { throw StoreRefusal.storeMissing(path: path) }
        do {
            try await open(schema: schema, holding: StoreLock(forStoreAt: path))
        } catch let error as SQLiteError where error.isOurs {
            // Whoever reads it has several stores, and needs to know which.
            throw error.fault == .corrupt
                ? StoreRefusal.storeDamaged(path: path, words: error.message)
                : .storeUnusable(path: path, words: "\(error.message) (SQLite \(error.extendedCode))")
        }
    }

    private func open(schema: [MigrationSequence], holding lock: StoreLock) async throws {
        try StoreFile(path: path).makePrivate()
        let connection = try Connection(at: path, as: .writer, configuration)
        guard let found = try StoreIdentityTable(connection: connection).read() else {
            throw StoreRefusal.notAStore(path: path)
        }
        guard found == identity else {
            throw StoreRefusal.madeForAnother(path: path, found: found, expected: identity)
        }
        try connection.useWriteAheadLog()
        try Migrator(schema: schema).migrate(connection, at: path)
        try await begin(with: connection, holding: lock)
    }
}
