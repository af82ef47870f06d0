/// A connection's prepared statements, found again by their text. Bounded: the one unused for longest goes.
struct StatementCache {
    private let capacity: Int
    private var literals: [UnsafeRawPointer: Statement] = [:]
    private var composed: [String: Statement] = [:]
    private var uses: UInt64 = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The statement for `sql`, not in use: kept from an earlier run, or prepared now.
    ///
    /// While a statement runs, a nested run of the same text gets one of its own, which is not kept.
    mutating func statement(for sql: SQL, on connection: OpaquePointer) throws(SQLiteError) -> Statement {
        uses &+= 1
        if let known = known(sql) {
            guard !known.isInUse else { return try Statement(sql, preparedOn: connection) }
            known.lastUse = uses
            return known
        }
        let new = try Statement(sql, preparedOn: connection)
        new.lastUse = uses
        keep(new)
        return new
    }

    mutating func removeAll() {
        literals.removeAll()
        composed.removeAll()
    }

    private func known(_ sql: SQL) -> Statement? {
        switch sql.text {
        // A literal lives as long as the program, so an address never comes to mean another text.
        case .literal(let literal) where literal.hasPointerRepresentation: literals[literal.utf8Start]
        case .literal(let literal): composed[literal.description]
        case .composed(let text): composed[text]
        }
    }

    private mutating func keep(_ statement: Statement) {
        if literals.count + composed.count >= capacity { removeLeastRecentlyUsed() }
        switch statement.sql.text {
        case .literal(let literal) where literal.hasPointerRepresentation: literals[literal.utf8Start] = statement
        case .literal(let literal): composed[literal.description] = statement
        case .composed(let text): composed[text] = statement
        }
    }

    /// One that is running stays alive through whoever runs it.
    private mutating func removeLeastRecentlyUsed() {
        let literal = literals.min { $0.value.lastUse < $1.value.lastUse }
        let text = composed.min { $0.value.lastUse < $1.value.lastUse }
        switch (literal, text) {
        case (let literal?, let text?) where literal.value.lastUse < text.value.lastUse:
            literals[literal.key] = nil
        case (_, let text?): composed[text.key] = nil
        case (let literal?, nil): literals[literal.key] = nil
        case (nil, nil): break
        }
    }
}
