internal import CSQLite

/// One SQLite connection and its prepared statements. Not thread-safe: an actor owns it. Closed with its last reference.
final class Connection {
    enum Role {
        case writer
        /// Refuses to write, and stops when its task is cancelled or its time is up.
        case reader
    }

    let handle: OpaquePointer
    let role: Role
    var statements: StatementCache
    /// Between our BEGIN and our COMMIT or ROLLBACK.
    var isInTransaction = false
    /// Why the transaction in progress can no longer be committed.
    var loss: SQLiteError?
    /// When a reader stops; nil: when it is done.
    var deadline: ContinuousClock.Instant?

    /// Opens a file that exists.
    init(at path: String, as role: Role, _ configuration: DatabaseConfiguration) throws(SQLiteError) {
        var handle: OpaquePointer?
        // NOMUTEX: the owner sees to it that one thread at a time is in here. No CREATE: see StoreFile.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            // SQLite hands out a handle even on failure; it still has to be closed (sqlite.org/c3ref/open.html).
            defer { sqlite3_close_v2(handle) }
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            throw SQLiteError(extendedCode: code, operation: "open", message: message)
        }
        self.handle = handle
        self.role = role
        self.statements = StatementCache(capacity: configuration.preparedStatements)
        try configure(configuration)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    private func configure(_ configuration: DatabaseConfiguration) throws(SQLiteError) {
        let milliseconds = configuration.busyTimeout / .milliseconds(1)
        sqlite3_busy_timeout(handle, Int32(min(max(milliseconds, 0), 3_600_000)))
        try setOption(SQLITE_DBCONFIG_DEFENSIVE, on: true)
        try setOption(SQLITE_DBCONFIG_TRUSTED_SCHEMA, on: false)
        try setOption(SQLITE_DBCONFIG_ENABLE_FKEY, on: true)
        // Otherwise a misspelt column in double quotes is a text.
        try setOption(SQLITE_DBCONFIG_DQS_DML, on: false)
        try setOption(SQLITE_DBCONFIG_DQS_DDL, on: false)
        var pragmas = [
            "synchronous = FULL", "temp_store = MEMORY", "mmap_size = 0",
            // What is deleted is overwritten, for users are erased. So it is on Debian without a word, elsewhere it is not.
            "secure_delete = ON",
            "cache_size = -\(max(64, configuration.pageCache >> 10))",
            "wal_autocheckpoint = \(max(1, configuration.checkpointAfterPages))",
            "journal_size_limit = \(max(0, configuration.logSizeLimit))",
        ]
        if role == .reader { pragmas.append("query_only = ON") }
        for pragma in pragmas { try runOnce("PRAGMA \(pragma)") }
        guard role == .reader else { return }
        // Called only by statements of this connection, which is there as long as they are.
        let connection = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            handle, 10_000,
            { connection in
                guard !Task<Never, Never>.isCancelled, let connection else { return 1 }
                return Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().isOverdue ? 1 : 0
            }, connection)
    }

    var isOverdue: Bool { deadline.map { $0 <= .now } ?? false }

    /// Part of a store's header, so only done once it is known to be one of ours.
    func useWriteAheadLog() throws(SQLiteError) {
        let statement = try Statement("PRAGMA journal_mode = WAL", preparedOn: handle)
        // SQLite answers with the mode that it could have, without an error.
        guard try step(statement), try Row(statement).text(0) == "wal" else {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN, operation: "configure",
                message: "This file system cannot hold a write-ahead log")
        }
    }

    /// Turns a switch of the connection (`SQLITE_DBCONFIG_…`).
    private func setOption(_ option: Int32, on: Bool) throws(SQLiteError) {
        let code = tollgate_sqlite_set_option(handle, option, on ? 1 : 0)
        guard code == SQLITE_OK else { throw error(code, "configure") }
    }

    /// What SQLite says about the call that returned `code`.
    func error(_ code: Int32, _ operation: String, _ sql: SQL? = nil) -> SQLiteError {
        // For a reader "read-only" is our own doing, and says that the statement was wrong.
        let isForbiddenWrite = role == .reader && code & 0xff == SQLITE_READONLY
        return SQLiteError(
            extendedCode: code, operation: operation, message: String(cString: sqlite3_errmsg(handle)),
            sql: sql?.description, fault: isForbiddenWrite ? .statement : nil)
    }

    /// Whether foreign keys are enforced. Can only change between transactions.
    func enforceForeignKeys(_ on: Bool) throws(SQLiteError) { try setOption(SQLITE_DBCONFIG_ENABLE_FKEY, on: on) }

    var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    var changeCount: Int64 { sqlite3_total_changes64(handle) }
}
