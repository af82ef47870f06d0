internal import Erasures
internal import Lane
internal import Messages
internal import SQLite

/// Every table with rows that name a user, for whoever counts or deletes them.
enum UserRows {
    /// On his own side: all of it is about him alone.
    static let ofUser = [
        "customers", "customer_facts", "holdings", "held_subscriptions", "held_products", "holding_history",
        "told_entitlements", "due_changes", "told_purchases", "untold_purchases",
    ]
    /// On the side of the chains that he claimed.
    static let ofChains = ["claims", "link_history", "told_links"]

    /// Deletes all that his side has of him.
    ///
    /// - Returns: how many rows that were, by table.
    static func delete(_ customer: Customer, in transaction: borrowing Transaction) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in ofUser {
            let count = try transaction.run(
                SQL(composed: "DELETE FROM \(table) WHERE organisation = ? AND user = ?"),
                SQLValue(customer.organisation), SQLValue(customer.user))
            if count > 0 { counts[table] = count }
        }
        return counts
    }
}

extension FindTraces where Question == UserTraces {
    /// In all of these tables.
    init() { self.init(in: UserRows.ofUser + UserRows.ofChains) }
}
