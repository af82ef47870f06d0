internal import CSQLite

/// One SQLite connection and its prepared statements. Not thread-safe: an actor owns it. Closed with its last reference.
final class Connection {
    enum Role {
        case writer
        /// Refuses to write, and stops when its task is cancelled.
        case reader
    }

    private let handle: OpaquePointer
    private let role: Role
    private var statements: StatementCache
    /// Between our BEGIN and our COMMIT or ROLLBACK.
    private var isInTransaction = false
    /// Why the transaction in progress can no longer be committed.
    private var loss: SQLiteError?

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
        var pragmas = [
            "synchronous = FULL", "temp_store = MEMORY", "mmap_size = 0",
            "cache_size = -\(max(64, configuration.pageCache >> 10))",
            "wal_autocheckpoint = \(max(1, configuration.checkpointAfterPages))",
            "journal_size_limit = \(max(0, configuration.logSizeLimit))",
        ]
        if role == .reader { pragmas.append("query_only = ON") }
        for pragma in pragmas { try runOnce("PRAGMA \(pragma)") }
        guard role == .reader else { return }
        sqlite3_progress_handler(handle, 10_000, { _ in Task<Never, Never>.isCancelled ? 1 : 0 }, nil)
    }

    /// Part of a store's header, so only done once it is known to be one of ours.
    func useWriteAheadLog() throws(SQLiteError) {
        let statement = try Statement("PRAGMA journal_mode = WAL", preparedOn: handle)
        // SQLite answers with the mode that it could have, without an error.
        guard try step(statement), try Row(statement).text(0) == "wal" else {
            throw .misuse("configure", "This file system cannot hold a write-ahead log")
        }
    }

    /// Turns a switch of the connection (`SQLITE_DBCONFIG_…`).
    private func setOption(_ option: Int32, on: Bool) throws(SQLiteError) {
        let code = tollgate_sqlite_set_option(handle, option, on ? 1 : 0)
        guard code == SQLITE_OK else { throw error(code, "configure") }
    }

    /// Whether foreign keys are enforced. Can only change between transactions.
    func enforceForeignKeys(_ on: Bool) throws(SQLiteError) { try setOption(SQLITE_DBCONFIG_ENABLE_FKEY, on: on) }

    var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
}

// MARK: - Statements

extension Connection {
    /// Runs a statement to its end; answers how many rows it changed.
    @discardableResult
    func run(_ sql: SQL, _ bindings: [SQLValue]) throws(SQLiteError) -> Int {
        let statement = try start(sql, bindings)
        defer { statement.reset() }
        while try step(statement) {}
        return Int(sqlite3_changes64(handle))
    }

    /// Runs a statement that will not be run again, so that it takes no place among the kept ones.
    func runOnce(_ text: String) throws(SQLiteError) {
        let statement = try Statement(SQL(composed: text), preparedOn: handle)
        while try step(statement) {}
    }

    func visitRows(
        of sql: SQL, _ bindings: [SQLValue], _ visit: (borrowing Row) throws -> AfterRow
    ) throws {
        let statement = try start(sql, bindings)
        defer { statement.reset() }
        while try step(statement) {
            guard case .next = try visit(Row(statement)) else { return }
        }
    }

    /// Runs all statements of a script in turn.
    func runScript(_ script: String) throws(SQLiteError) {
        var script = script
        let code = script.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text -> Int32 in
                var rest = text[...]
                while !rest.isEmpty {
                    var statement: OpaquePointer?
                    var tail: UnsafePointer<CChar>?
                    guard let length = Int32(exactly: rest.count) else { return SQLITE_TOOBIG }
                    let part = UnsafeBufferPointer(rebasing: rest)
                    var code = sqlite3_prepare_v3(handle, part.baseAddress, length, 0, &statement, &tail)
                    defer { sqlite3_finalize(statement) }
                    guard code == SQLITE_OK else { return code }
                    while statement != nil, code != SQLITE_DONE {
                        code = sqlite3_step(statement)
                        guard code == SQLITE_ROW || code == SQLITE_DONE else { return code }
                    }
                    guard let start = part.baseAddress, let tail, tail > start else { break }
                    rest = rest.dropFirst(tail - start)
                }
                return SQLITE_OK
            }
        }
        guard code == SQLITE_OK else { throw error(code, "run script", SQL(composed: script)) }
    }

    /// A statement with its values, ready for its first step. The caller resets it.
    private func start(_ sql: SQL, _ bindings: [SQLValue]) throws(SQLiteError) -> Statement {
        if isInTransaction { try requireTransaction() }
        let statement = try statements.statement(for: sql, on: handle)
        do throws(SQLiteError) {
            try statement.bind(bindings)
        } catch {
            statement.reset()
            throw error
        }
        statement.isInUse = true
        return statement
    }

    /// Whether the step came to a row.
    private func step(_ statement: Statement) throws(SQLiteError) -> Bool {
        let code = sqlite3_step(statement.handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let error = error(code, "step", statement.sql)
        if isInTransaction, sqlite3_get_autocommit(handle) != 0 { loss = loss ?? error }
        throw error
    }

    private func error(_ code: Int32, _ operation: String, _ sql: SQL? = nil) -> SQLiteError {
        // For a reader "read-only" is our own doing, and says that the statement was wrong.
        let isForbiddenWrite = role == .reader && code & 0xff == SQLITE_READONLY
        return SQLiteError(
            extendedCode: code, operation: operation, message: String(cString: sqlite3_errmsg(handle)),
            sql: sql?.description, fault: isForbiddenWrite ? .statement : nil)
    }
}

// MARK: - Upkeep

extension Connection {
    /// Copies the write-ahead log into the file and empties it. False when a reader still needs a part of it.
    func checkpoint() throws(SQLiteError) -> Bool {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if code & 0xff == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw error(code, "checkpoint") }
        return true
    }
}

// MARK: - Transactions

extension Connection {
    enum TransactionKind {
        /// Takes the write lock at once, so that it cannot fail for want of it later.
        case immediate
        /// Sees one state of the store, from its first statement on.
        case reading
    }

    /// Commits when `body` returns, rolls back when it throws. However it ends, the next transaction can begin.
    func transaction<Value>(_ kind: TransactionKind, _ body: () throws -> Value) throws -> Value {
        // Left over only if an earlier ROLLBACK failed.
        if sqlite3_get_autocommit(handle) == 0 { try run("ROLLBACK", []) }
        switch kind {
        case .immediate: try run("BEGIN IMMEDIATE", [])
        case .reading: try run("BEGIN", [])
        }
        isInTransaction = true
        do {
            let value = try body()
            try run("COMMIT", [])
            isInTransaction = false
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Undoes what `body` wrote when it throws, and nothing else of the transaction.
    func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        try run("SAVEPOINT step", [])
        do {
            let value = try body()
            try run("RELEASE step", [])
            return value
        } catch {
            undoSavepoint()
            throw error
        }
    }

    private func undoSavepoint() {
        do throws(SQLiteError) {
            try run("ROLLBACK TO step", [])
            try run("RELEASE step", [])
        } catch {
            // What the savepoint wrote may still be there, so nothing of the transaction may be kept.
            loss = loss ?? error
        }
    }

    private func rollBack() {
        isInTransaction = false
        loss = nil
        // After some errors SQLite has rolled back by itself (sqlite.org/lang_transaction.html).
        guard sqlite3_get_autocommit(handle) == 0 else { return }
        // What went wrong before is what the caller has to know; a failure here is tried again by the next transaction.
        _ = try? run("ROLLBACK", [])
    }

    private func requireTransaction() throws(SQLiteError) {
        if let loss { throw loss }
        guard sqlite3_get_autocommit(handle) == 0 else {
            throw .misuse("run", "The transaction was ended by a statement inside it")
        }
    }
}
