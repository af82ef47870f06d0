internal import CSQLite

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
        // SQLite looks at the time in a long statement; what many short ones and their rows take, nobody else sees.
        if isOverdue { throw ReadOverdue() }
        while try step(statement) {
            guard case .next = try visit(Row(statement)) else { return }
            if isOverdue { throw ReadOverdue() }
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
    func step(_ statement: Statement) throws(SQLiteError) -> Bool {
        let code = sqlite3_step(statement.handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let error = error(code, "step", statement.sql)
        if isInTransaction, sqlite3_get_autocommit(handle) != 0 { loss = loss ?? error }
        throw error
    }
}
