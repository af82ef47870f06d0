internal import CSQLite

/// One prepared statement. Finalised with its last reference.
final class Statement {
    let handle: OpaquePointer
    let sql: SQL
    let columnCount: Int32
    private let parameterCount: Int
    /// Between the first step and the reset: a second use of the same text needs a statement of its own.
    var isInUse = false
    /// Raised by the cache at every use, to find the one that was not used for longest.
    var lastUse: UInt64 = 0

    init(_ sql: SQL, preparedOn connection: OpaquePointer) throws(SQLiteError) {
        var handle: OpaquePointer?
        var hasMore = false
        func prepare(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
            bytes.withMemoryRebound(to: CChar.self) { text in
                guard let length = Int32(exactly: text.count) else { return SQLITE_TOOBIG }
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    connection, text.baseAddress, length, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
                if let start = text.baseAddress, let tail {
                    hasMore = text[(tail - start)...].contains { $0 > 0x20 && $0 != 0x3b }
                }
                return code
            }
        }
        let code: Int32
        switch sql.text {
        case .literal(let literal): code = literal.withUTF8Buffer(prepare)
        case .composed(var text): code = text.withUTF8(prepare)
        }
        guard code == SQLITE_OK else {
            throw SQLiteError(
                extendedCode: sqlite3_extended_errcode(connection), operation: "prepare",
                message: String(cString: sqlite3_errmsg(connection)), sql: sql.description)
        }
        guard let handle else { throw .misuse("prepare", "No statement in the text", sql: sql.description) }
        guard !hasMore else {
            sqlite3_finalize(handle)
            throw .misuse("prepare", "More than one statement in the text", sql: sql.description)
        }
        self.handle = handle
        self.sql = sql
        self.columnCount = sqlite3_column_count(handle)
        self.parameterCount = Int(sqlite3_bind_parameter_count(handle))
    }

    deinit { sqlite3_finalize(handle) }

    /// Gives every placeholder its value, copying text and bytes.
    func bind(_ values: [SQLValue]) throws(SQLiteError) {
        guard values.count == parameterCount else {
            throw .misuse(
                "bind", "\(values.count) values for \(parameterCount) placeholders", sql: sql.description)
        }
        var index: Int32 = 0
        for value in values {
            index += 1
            let code = bind(value, at: index)
            guard code == SQLITE_OK else {
                throw SQLiteError(
                    extendedCode: code, operation: "bind", message: "Placeholder \(index) was refused",
                    sql: sql.description)
            }
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .real(let number): sqlite3_bind_double(handle, index, number)
        case .text(var text):
            text.withUTF8 { bytes in
                // A null pointer would bind NULL, which is something else than no characters.
                guard let start = bytes.baseAddress else { return tollgate_sqlite_bind_text(handle, index, "", 0) }
                return tollgate_sqlite_bind_text(handle, index, start, UInt64(bytes.count))
            }
        case .blob(let blob):
            blob.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, bytes.count > 0 else {
                    return sqlite3_bind_zeroblob(handle, index, 0)
                }
                return tollgate_sqlite_bind_blob(handle, index, start, UInt64(bytes.count))
            }
        }
    }

    /// Ends the run and lets go of what was bound.
    func reset() {
        // The code repeats what the last step said; that has been thrown already.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        isInUse = false
    }
}
