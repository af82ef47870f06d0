internal import CSQLite

extension Connection {
    /// Commits when `body` returns, rolls back when it throws. However it ends, the next transaction can begin.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        // The write lock at once: wanting it later, after a read, can fail however long one waits.
        try begin("BEGIN IMMEDIATE")
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

    /// Lets `body` see one state of the store, from its first statement on.
    func snapshot<Value>(_ body: () throws -> Value) throws -> Value {
        try begin("BEGIN")
        // There is nothing to commit; and COMMIT would repeat an error that `body` has dealt with.
        defer { rollBack() }
        return try body()
    }

    /// Stops what `body` reads when its time is up.
    func reading<Value>(until deadline: ContinuousClock.Instant?, _ body: () throws -> Value) throws -> Value {
        let outer = self.deadline
        self.deadline = deadline
        defer { self.deadline = outer }
        do {
            return try body()
        } catch let error as SQLiteError where error.isInterruption && isOverdue {
            throw ReadOverdue()
        }
    }

    private func begin(_ sql: SQL) throws(SQLiteError) {
        // Still open only if an earlier ROLLBACK failed.
        if sqlite3_get_autocommit(handle) == 0 { try run("ROLLBACK", []) }
        try run(sql, [])
        isInTransaction = true
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

    func requireTransaction() throws(SQLiteError) {
        if let loss { throw loss }
        guard sqlite3_get_autocommit(handle) == 0 else {
            throw .misuse("run", "The transaction was ended by a statement inside it")
        }
    }
}
