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
    /// Tables that follow from those.
    private static let derived = ["funnel_users", "funnel_changes"]

    /// How many rows name him, by table; without tables that do not.
    static func counts(of customer: Customer, in store: borrowing some Reading & ~Copyable) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in tables.map(\.name) + derived {
            let count = try store.first(
                SQL(composed: "SELECT COUNT(*) FROM \(table) WHERE organisation = ? AND user = ?"),
                SQLValue(customer.organisation), SQLValue(customer.user)
            ) { try $0.int(0) }
            if let count, count > 0 { counts[table] = count }
        }
        return counts
    }

    /// Deletes up to `limit` rows of each table that an erasure takes.
    ///
    /// - Returns: how many rows that were at most in one table: fewer than `limit` means that none are left.
    static func delete(
        _ pending: ErasureStore.Pending, limit: Int, in transaction: borrowing Transaction
    ) throws -> Int {
        try tables.map { table in
            try transaction.run(
                SQL(
                    composed: """
                        DELETE FROM \(table.name) WHERE rowid IN (
                            SELECT rowid FROM \(table.name)
                            WHERE organisation = ? AND user = ? AND \(table.time) <= ? LIMIT ?)
                        """), SQLValue(pending.customer.organisation), SQLValue(pending.customer.user),
                SQLValue(pending.erasedAt), SQLValue(limit))
        }.max() ?? 0
    }
}
