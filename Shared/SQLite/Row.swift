internal import CSQLite

/// One row of a result, lent while it is the current one.
///
/// Columns count from 0. A getter takes only what is stored as its type, nothing is converted: a stranger in a column
/// is an error that names the column.
public struct Row: ~Copyable {
    private let statement: Statement

    init(_ statement: Statement) { self.statement = statement }

    /// The integer in the column.
    public func int(_ column: Int) throws(SQLiteError) -> Int { try present(intOrNil(column), column) }

    /// The integer in the column.
    public func int64(_ column: Int) throws(SQLiteError) -> Int64 { try present(int64OrNil(column), column) }

    /// Whether the column holds 1; 0 is false, everything else an error.
    public func bool(_ column: Int) throws(SQLiteError) -> Bool { try present(boolOrNil(column), column) }

    /// The double in the column.
    public func real(_ column: Int) throws(SQLiteError) -> Double { try present(realOrNil(column), column) }

    /// The text in the column.
    public func text(_ column: Int) throws(SQLiteError) -> String { try present(textOrNil(column), column) }

    /// The bytes in the column.
    public func blob(_ column: Int) throws(SQLiteError) -> [UInt8] { try present(blobOrNil(column), column) }

    /// The integer in the column, nil for `NULL`.
    public func intOrNil(_ column: Int) throws(SQLiteError) -> Int? {
        guard let value = try int64OrNil(column) else { return nil }
        guard let int = Int(exactly: value) else { throw mismatch(column, "is out of range") }
        return int
    }

    /// The integer in the column, nil for `NULL`.
    public func int64OrNil(_ column: Int) throws(SQLiteError) -> Int64? {
        guard let index = try index(of: column, as: SQLITE_INTEGER) else { return nil }
        return sqlite3_column_int64(statement.handle, index)
    }

    /// Whether the column holds 1, nil for `NULL`.
    public func boolOrNil(_ column: Int) throws(SQLiteError) -> Bool? {
        switch try int64OrNil(column) {
        case nil: nil
        case 0: false
        case 1: true
        default: throw mismatch(column, "is neither 0 nor 1")
        }
    }

    /// The double in the column, nil for `NULL`.
    public func realOrNil(_ column: Int) throws(SQLiteError) -> Double? {
        guard let index = try index(of: column, as: SQLITE_FLOAT) else { return nil }
        return sqlite3_column_double(statement.handle, index)
    }

    /// The text in the column, nil for `NULL`.
    ///
    /// - Throws: also for text that is not UTF-8: repairing it would make another identifier of it.
    public func textOrNil(_ column: Int) throws(SQLiteError) -> String? {
        guard let index = try index(of: column, as: SQLITE_TEXT) else { return nil }
        guard let start = sqlite3_column_text(statement.handle, index) else { throw outOfMemory(column) }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement.handle, index)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw mismatch(column, "is not UTF-8") }
        return text
    }

    /// The bytes in the column, nil for `NULL`.
    public func blobOrNil(_ column: Int) throws(SQLiteError) -> [UInt8]? {
        guard let index = try index(of: column, as: SQLITE_BLOB) else { return nil }
        let start = sqlite3_column_blob(statement.handle, index)
        let count = Int(sqlite3_column_bytes(statement.handle, index))
        // No bytes come as a null pointer, and so does running out of memory.
        guard let start else {
            guard count == 0 else { throw outOfMemory(column) }
            return []
        }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Whether the column holds `NULL`.
    public func isNull(_ column: Int) throws(SQLiteError) -> Bool {
        sqlite3_column_type(statement.handle, try index(of: column)) == SQLITE_NULL
    }

    /// The column's index if it holds the storage class, nil if it holds `NULL`.
    private func index(of column: Int, as type: Int32) throws(SQLiteError) -> Int32? {
        let index = try index(of: column)
        let found = sqlite3_column_type(statement.handle, index)
        if found == type { return index }
        if found == SQLITE_NULL { return nil }
        throw mismatch(column, "is \(Self.name(of: found)), not \(Self.name(of: type))")
    }

    private func index(of column: Int) throws(SQLiteError) -> Int32 {
        guard column >= 0, column < Int(statement.columnCount) else {
            throw .misuse(
                "read column", "No column \(column) in \(statement.columnCount)", sql: statement.sql.description)
        }
        return Int32(column)
    }

    private func present<Value>(_ value: Value?, _ column: Int) throws(SQLiteError) -> Value {
        guard let value else { throw mismatch(column, "is NULL") }
        return value
    }

    private func mismatch(_ column: Int, _ complaint: String) -> SQLiteError {
        let name = sqlite3_column_name(statement.handle, Int32(column)).map { String(cString: $0) } ?? "?"
        return SQLiteError(
            extendedCode: SQLITE_MISMATCH, operation: "read column", message: "Column \(column) (\(name)) \(complaint)",
            sql: statement.sql.description)
    }

    private func outOfMemory(_ column: Int) -> SQLiteError {
        SQLiteError(
            extendedCode: SQLITE_NOMEM, operation: "read column", message: "No memory for column \(column)",
            sql: statement.sql.description)
    }

    private static func name(of type: Int32) -> String {
        switch type {
        case SQLITE_INTEGER: "INTEGER"
        case SQLITE_FLOAT: "REAL"
        case SQLITE_TEXT: "TEXT"
        case SQLITE_BLOB: "BLOB"
        default: "NULL"
        }
    }
}
