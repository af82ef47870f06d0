internal import Lane
internal import Messages
internal import SQLite

extension HoldingHistoryStore {
    /// All that a user was told of a chain's link, by revision: also what newer news had overtaken when it came.
    static func links(
        of chain: ChainID, by customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> [Holding.LinkNews] {
        try store.all(
            """
            SELECT revision, told FROM holding_history
            WHERE organisation = ? AND user = ? AND sort = 'link' AND realm = ? AND original = ? AND environment = ''
                AND id = '' ORDER BY revision
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(chain.realm),
            SQLValue(chain.original)
        ) { row in
            let told: ToldLink = try row.json(1)
            return Holding.LinkNews(
                revision: try row.int(0), isHeld: told.isHeld, rank: told.rank, since: Timestamp(clamping: told.since))
        }
    }
}
