internal import Messages
internal import SQLite

extension Row {
    /// The rank in the column; a number that is none counts for the least.
    borrowing func rank(_ column: Int) throws(SQLiteError) -> ClaimRank {
        ClaimRank(rawValue: try int(column)) ?? .unverified
    }
}
