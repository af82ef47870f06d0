internal import Messages
internal import SQLite

extension SQLValue {
    /// Milliseconds since 1970, or `NULL`.
    init(_ time: Timestamp?) { self.init(time?.millisecondsSince1970) }
}

extension Row {
    /// The time in the column, stored in milliseconds since 1970.
    borrowing func time(_ column: Int) throws(SQLiteError) -> Timestamp { Timestamp(clamping: try int64(column)) }

    /// The time in the column, nil for `NULL`.
    borrowing func timeOrNil(_ column: Int) throws(SQLiteError) -> Timestamp? {
        try int64OrNil(column).map(Timestamp.init(clamping:))
    }

    /// The identifier in the column.
    borrowing func id<ID: TextIdentifier>(_ column: Int) throws(SQLiteError) -> ID {
        ID(rawValue: try text(column))
    }

    /// The identifier in the column, nil for `NULL`.
    borrowing func idOrNil<ID: TextIdentifier>(_ column: Int) throws(SQLiteError) -> ID? {
        try textOrNil(column).map(ID.init(rawValue:))
    }

    /// The rank in the column; a number that is none counts for the least.
    borrowing func rank(_ column: Int) throws(SQLiteError) -> ClaimRank {
        ClaimRank(rawValue: try int(column)) ?? .unverified
    }

    /// The value whose JSON is in the column.
    borrowing func json<Value: Decodable>(_ column: Int, as type: Value.Type = Value.self) throws -> Value {
        try MessageJSON.decode(type, from: try blob(column))
    }
}
