public import Messages
public import SQLite

// How our vocabulary stands in the columns of every store, the lane's and the services' alike.

extension SQLValue {
    /// Milliseconds since 1970, or `NULL`.
    public init(_ time: Timestamp?) { self.init(time?.millisecondsSince1970) }
}

extension Row {
    /// The time in the column, stored in milliseconds since 1970.
    public borrowing func time(_ column: Int) throws(SQLiteError) -> Timestamp {
        Timestamp(clamping: try int64(column))
    }

    /// The time in the column, nil for `NULL`.
    public borrowing func timeOrNil(_ column: Int) throws(SQLiteError) -> Timestamp? {
        try int64OrNil(column).map(Timestamp.init(clamping:))
    }

    /// The identifier in the column.
    public borrowing func id<ID: TextIdentifier>(_ column: Int) throws(SQLiteError) -> ID {
        ID(rawValue: try text(column))
    }

    /// The identifier in the column, nil for `NULL`.
    public borrowing func idOrNil<ID: TextIdentifier>(_ column: Int) throws(SQLiteError) -> ID? {
        try textOrNil(column).map(ID.init(rawValue:))
    }

    /// The value whose JSON is in the column.
    public borrowing func json<Value: Decodable>(_ column: Int, as type: Value.Type = Value.self) throws -> Value {
        try MessageJSON.decode(type, from: try blob(column))
    }
}
