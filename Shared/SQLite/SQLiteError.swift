internal import CSQLite

/// What SQLite, or a value that it returned, had against us.
///
/// Neither description holds a bound value; only the operator's holds the statement.
public struct SQLiteError: Error, Sendable {
    /// On whose account an error goes, which decides what happens to the message that met it.
    public enum Fault: Hashable, Sendable {
        /// The machine's or the installation's: disk full, I/O, locked, out of memory. Worth trying again later.
        case environment
        /// The statement's or its values': a constraint, a wrong type, a syntax error. Trying again changes nothing.
        case statement
        /// The file is damaged, or is no store. An operator has to look at it.
        case corrupt
    }

    /// The primary result code (sqlite.org/rescode.html), such as 13 for `SQLITE_FULL`.
    public let code: Int32
    /// The extended result code, such as 2067 for `SQLITE_CONSTRAINT_UNIQUE`; equal to `code` where there is none.
    public let extendedCode: Int32
    /// What was being done: `open`, `prepare`, `bind`, `step`, `commit`, `read column`, …
    public let operation: String
    /// SQLite's own words. They name tables and columns, not values.
    public let message: String
    /// The statement with its placeholders, where one was involved.
    public let sql: String?
    /// On whose account it goes.
    public let fault: Fault

    /// Whether it would have happened to any other message too: the message is kept, and nothing is charged to it.
    public var isOurs: Bool { fault != .statement }

    /// Whether a `UNIQUE` or `PRIMARY KEY` constraint refused the row.
    public var isUniqueViolation: Bool {
        // SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID, whose definitions Swift cannot read.
        [1555, 2067, 2579].contains(extendedCode)
    }

    /// Whether a statement was told to stop.
    var isInterruption: Bool { code == SQLITE_INTERRUPT }

    init(extendedCode: Int32, operation: String, message: String, sql: String? = nil, fault: Fault? = nil) {
        self.code = extendedCode & 0xff
        self.extendedCode = extendedCode
        self.operation = operation
        self.message = message
        self.sql = sql
        self.fault = fault ?? Fault(of: extendedCode & 0xff)
    }

    /// Our own use of the interface was wrong.
    static func misuse(_ operation: String, _ message: String, sql: String? = nil) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, operation: operation, message: message, sql: sql)
    }
}

extension SQLiteError.Fault {
    init(of code: Int32) {
        switch code {
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CANTOPEN, SQLITE_NOMEM, SQLITE_READONLY,
            SQLITE_PERM, SQLITE_PROTOCOL, SQLITE_NOLFS, SQLITE_INTERRUPT:
            self = .environment
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_INTERNAL:
            self = .corrupt
        default:
            self = .statement
        }
    }
}

extension SQLiteError: CustomStringConvertible, CustomDebugStringConvertible {
    /// What a client may read.
    public var description: String { "The store failed with code \(extendedCode)" }

    /// What the operator's log may read.
    public var debugDescription: String {
        "SQLite \(extendedCode) in \(operation): \(message) [\(sql ?? "no statement")]"
    }
}
