/// What both a ``Transaction`` and a ``Snapshot`` can do: run statements and read their rows.
///
/// A query that both sides need is written once: `func link(of: TransactionID, in store: borrowing some Reading &
/// ~Copyable) throws -> Link?`.
public protocol Reading: ~Copyable, SendableMetatype {
    /// Runs a statement and lends its rows one by one, until `visit` says stop or there are no more.
    ///
    /// - Throws: ``SQLiteError``, and what `visit` throws.
    func visitRows(of sql: SQL, bindings: [SQLValue], _ visit: (borrowing Row) throws -> AfterRow) throws
}

/// Whether a visitor wants the next row.
public enum AfterRow: Sendable {
    /// Go on.
    case next
    /// Enough seen.
    case stop
}

extension Reading where Self: ~Copyable {
    /// All rows, each turned into a value. The caller bounds their number with `LIMIT`.
    @inlinable
    public func all<Value>(
        _ sql: SQL, _ bindings: SQLValue..., as value: (borrowing Row) throws -> Value
    ) throws -> [Value] {
        try all(sql, bindings: bindings, as: value)
    }

    /// All rows, each turned into a value. The caller bounds their number with `LIMIT`.
    @inlinable
    public func all<Value>(
        _ sql: SQL, bindings: [SQLValue], as value: (borrowing Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try visitRows(of: sql, bindings: bindings) { row in
            values.append(try value(row))
            return .next
        }
        return values
    }

    /// The first row turned into a value; nil when there is none.
    @inlinable
    public func first<Value>(
        _ sql: SQL, _ bindings: SQLValue..., as value: (borrowing Row) throws -> Value
    ) throws -> Value? {
        try first(sql, bindings: bindings, as: value)
    }

    /// The first row turned into a value; nil when there is none.
    @inlinable
    public func first<Value>(
        _ sql: SQL, bindings: [SQLValue], as value: (borrowing Row) throws -> Value
    ) throws -> Value? {
        var first: Value?
        try visitRows(of: sql, bindings: bindings) { row in
            first = try value(row)
            return .stop
        }
        return first
    }

    /// Lends every row in turn, so that a large result never is in memory as a whole.
    @inlinable
    public func forEach(_ sql: SQL, _ bindings: SQLValue..., visit: (borrowing Row) throws -> Void) throws {
        try forEach(sql, bindings: bindings, visit: visit)
    }

    /// Lends every row in turn, so that a large result never is in memory as a whole.
    @inlinable
    public func forEach(_ sql: SQL, bindings: [SQLValue], visit: (borrowing Row) throws -> Void) throws {
        try visitRows(of: sql, bindings: bindings) { row in
            try visit(row)
            return .next
        }
    }

    /// Whether there is any row.
    @inlinable
    public func exists(_ sql: SQL, _ bindings: SQLValue...) throws -> Bool {
        try exists(sql, bindings: bindings)
    }

    /// Whether there is any row.
    @inlinable
    public func exists(_ sql: SQL, bindings: [SQLValue]) throws -> Bool {
        try first(sql, bindings: bindings) { _ in true } ?? false
    }
}
