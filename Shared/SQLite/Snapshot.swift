/// The store as it was at one moment, lent to the closure of ``Database/read(_:)``; it cannot leave it.
///
/// Later commits do not show. While a snapshot is open, the write-ahead log cannot be reset, so it should be short.
public struct Snapshot: ~Copyable, Reading {
    private let connection: Connection

    init(on connection: Connection) { self.connection = connection }

    /// Runs a statement and lends its rows. One that would write is refused.
    public func visitRows(
        of sql: SQL, bindings: [SQLValue], _ visit: (borrowing Row) throws -> AfterRow
    ) throws {
        try connection.visitRows(of: sql, bindings, visit)
    }

    /// Lends it on, until a time: of what several ask of one snapshot, each has his own.
    ///
    /// - Throws: ``ReadOverdue``, and what `body` throws.
    public func until<Value>(
        _ deadline: ContinuousClock.Instant, _ body: (borrowing Snapshot) throws -> Value
    ) throws -> Value {
        try connection.reading(until: deadline) { try body(self) }
    }
}
