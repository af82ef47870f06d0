/// A connection's prepared statements, found again by their text. Bounded: the one unused for longest goes.
struct StatementCache {
    private enum Key: Hashable {
        /// A literal lives as long as the program, so its address never comes to mean another text.
        case literal(UnsafePointer<UInt8>)
        case composed(String)

        init(_ sql: SQL) {
            switch sql.text {
            case .literal(let literal) where literal.hasPointerRepresentation: self = .literal(literal.utf8Start)
            case .literal(let literal): self = .composed(literal.description)
            case .composed(let text): self = .composed(text)
            }
        }
    }

    private let capacity: Int
    private var statements: [Key: Statement] = [:]
    private var uses: UInt64 = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The statement for `sql`, not in use: kept from an earlier run, or prepared now.
    ///
    /// While a statement runs, a nested run of the same text gets one of its own, which is not kept.
    mutating func statement(for sql: SQL, on connection: OpaquePointer) throws(SQLiteError) -> Statement {
        uses &+= 1
        let key = Key(sql)
        if let known = statements[key] {
            guard !known.isInUse else { return try Statement(sql, preparedOn: connection) }
            known.lastUse = uses
            return known
        }
        let new = try Statement(sql, preparedOn: connection)
        new.lastUse = uses
        if statements.count >= capacity { removeLeastRecentlyUsed() }
        statements[key] = new
        return new
    }

    mutating func removeAll() { statements.removeAll() }

    /// One that is running stays alive through whoever runs it.
    private mutating func removeLeastRecentlyUsed() {
        guard let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        statements[oldest.key] = nil
    }
}
