/// A write transaction in progress, lent to the closure of ``Database/write(_:)``; it cannot leave it.
///
/// When SQLite has rolled the whole transaction back by itself (disk full, I/O), every further call throws that same
/// error again: no statement can slip in outside a transaction.
public struct Transaction: ~Copyable, Reading {
    private let connection: Connection

    init(on connection: Connection) { self.connection = connection }

    /// Runs a statement to its end and answers how many rows it inserted, updated or deleted.
    ///
    /// `INSERT … ON CONFLICT DO NOTHING` answers 0 for a row that was there. For other statements the number means
    /// nothing.
    @discardableResult
    public func run(_ sql: SQL, _ bindings: SQLValue...) throws(SQLiteError) -> Int {
        try connection.run(sql, bindings)
    }

    /// Runs a statement to its end and answers how many rows it inserted, updated or deleted.
    @discardableResult
    public func run(_ sql: SQL, bindings: [SQLValue]) throws(SQLiteError) -> Int {
        try connection.run(sql, bindings)
    }

    /// Keeps what `body` writes when it returns, undoes just that when it throws. May be nested.
    public func savepoint<Value>(_ body: (borrowing Transaction) throws -> Value) throws -> Value {
        try connection.savepoint { try body(self) }
    }

    /// The rowid of the newest inserted row. Says nothing for `WITHOUT ROWID` tables.
    public var lastInsertedRowID: Int64 { connection.lastInsertedRowID }

    /// How many rows this connection has ever changed; of what was undone too.
    public var changeCount: Int64 { connection.changeCount }

    /// Runs a statement, which may also write (`RETURNING`), and lends its rows.
    public func visitRows(
        of sql: SQL, bindings: [SQLValue], _ visit: (borrowing Row) throws -> AfterRow
    ) throws {
        try connection.visitRows(of: sql, bindings, visit)
    }
}
