internal import Lane
internal import Messages
internal import SQLite

extension ChainID {
    /// For `organisation = ? AND realm = ? AND original = ?`.
    var bindings: [SQLValue] { [SQLValue(organisation), SQLValue(realm), SQLValue(original)] }
}

extension Row {
    /// The chain in three columns: organisation, realm, original.
    borrowing func chain(_ column: Int) throws -> ChainID {
        ChainID(try id(column), try id(column + 1), try id(column + 2))
    }
}
