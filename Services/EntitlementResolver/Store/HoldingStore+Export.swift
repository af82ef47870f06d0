internal import Lane
internal import Messages
internal import SQLite

extension HoldingStore {
    /// All chains that ever concerned a user, by realm and original transaction.
    ///
    /// - Parameter key: realm and original transaction behind which to begin.
    static func all(
        of customer: Customer, after key: [String]?, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [Holding] {
        let key = key ?? ["", ""]
        guard key.count == 2 else { return [] }
        let chains = try store.all(
            """
            SELECT organisation, realm, original FROM holdings
            WHERE organisation = ? AND user = ? AND (realm, original) > (?, ?) ORDER BY realm, original LIMIT ?
            """, SQLValue(customer.organisation), SQLValue(customer.user), .text(key[0]), .text(key[1]),
            SQLValue(limit)
        ) { try $0.chain(0) }
        return try chains.map { try holding(of: $0, by: customer.user, in: store) }
    }
}
