internal import Erasures
internal import Lane
internal import Messages
internal import SQLite

/// Every table with rows that name a user, for whoever counts, exports or deletes them.
enum UserRows {
    /// A table with columns `organisation` and `user`.
    struct Table {
        /// Its name.
        let name: String
        /// The column with the time that an erasure is compared with.
        let time: String

        init(_ name: String, time: String = "accepted_at") {
            self.name = name
            self.time = time
        }
    }

    static let tables = [
        Table("events"), Table("waiting_events"), Table("funnel_exposures", time: "named_at"),
        Table("funnel_purchases", time: "told_at"),
    ]
    /// All of them, with what is made of those.
    static let names = tables.map(\.name) + ["funnel_users"]
    /// Where a row stands for a user of whom the funnel has still to be counted anew.
    static let unsettled = ["funnel_changes"]

    /// Deletes up to `limit` rows of each table that an erasure takes.
    ///
    /// - Returns: whether that was all.
    static func delete(
        _ pending: ErasureStore.Pending, limit: Int, in transaction: borrowing Transaction
    ) throws -> Bool {
        let counts = try tables.map { table in
            try transaction.run(
                SQL(
                    composed: """
                        DELETE FROM \(table.name) WHERE rowid IN (
                            SELECT rowid FROM \(table.name)
                            WHERE organisation = ? AND user = ? AND \(table.time) <= ? LIMIT ?)
                        """), SQLValue(pending.customer.organisation), SQLValue(pending.customer.user),
                SQLValue(pending.erasure.time), SQLValue(limit))
        }
        return counts.allSatisfy { $0 < limit }
    }
}

extension FindTraces where Question == SignpostsTraces {
    /// In all of these tables.
    init() { self.init(in: UserRows.names, unsettled: UserRows.unsettled) }
}
