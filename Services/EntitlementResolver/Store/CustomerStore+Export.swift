internal import Lane
internal import Messages
internal import SQLite

extension CustomerStore {
    /// When somebody was seen first and last; nil: nobody has named him.
    static func seen(
        _ customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> (first: Timestamp, last: Timestamp)? {
        try store.first(
            """
            SELECT IFNULL(first_seen, created_at), IFNULL(last_seen, created_at) FROM customers
            WHERE organisation = ? AND user = ?
            """, SQLValue(customer.organisation), SQLValue(customer.user)
        ) { (first: try $0.time(0), last: try $0.time(1)) }
    }

    /// Everything that was said of him, with its version; also what was taken back.
    static func allFacts(
        of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> [UserExportPage.Fact] {
        try store.all(
            """
            SELECT sort, name, value, trust, accepted_at, message_id FROM customer_facts
            WHERE organisation = ? AND user = ? ORDER BY sort, name
            """, SQLValue(customer.organisation), SQLValue(customer.user)
        ) { row in
            UserExportPage.Fact(
                sort: try row.text(0), name: try row.text(1), value: try row.isNull(2) ? nil : try row.json(2),
                trust: try row.id(3), acceptedAt: try row.time(4), message: MessageID(rawValue: try row.text(5)))
        }
    }
}
