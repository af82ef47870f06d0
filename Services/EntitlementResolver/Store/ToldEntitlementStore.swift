internal import Lane
internal import Messages
internal import SQLite

/// The active entitlements that were told last, and when time alone will change a user's next.
enum ToldEntitlementStore {
    static func told(
        of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> [EntitlementName: EntitlementState] {
        var told: [EntitlementName: EntitlementState] = [:]
        try store.forEach(
            "SELECT app, environment, entitlement, state FROM told_entitlements WHERE organisation = ? AND user = ?",
            SQLValue(customer.organisation), SQLValue(customer.user)
        ) { row in
            told[EntitlementName(try row.id(0), try row.id(1), try row.id(2))] = try row.json(3)
        }
        return told
    }

    /// Remembers what has been told: an active state, or that there is none.
    static func record(
        _ change: EntitlementChanges.Change, of customer: Customer, in transaction: borrowing Transaction
    ) throws {
        let name = change.name
        guard change.state.isActive else {
            try transaction.run(
                """
                DELETE FROM told_entitlements
                WHERE organisation = ? AND user = ? AND app = ? AND environment = ? AND entitlement = ?
                """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(name.app),
                SQLValue(name.environment), SQLValue(name.entitlement))
            return
        }
        try transaction.run(
            """
            REPLACE INTO told_entitlements (organisation, user, app, environment, entitlement, bucket, state)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(name.app),
            SQLValue(name.environment), SQLValue(name.entitlement), SQLValue(customer.bucket.number),
            .blob(try MessageJSON.encode(change.state)))
    }

    static func setNextChange(
        _ time: Timestamp?, of customer: Customer, in transaction: borrowing Transaction
    ) throws {
        guard let time else {
            try transaction.run(
                "DELETE FROM due_changes WHERE organisation = ? AND user = ?", SQLValue(customer.organisation),
                SQLValue(customer.user))
            return
        }
        try transaction.run(
            """
            INSERT INTO due_changes (organisation, user, bucket, due_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET due_at = excluded.due_at
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(customer.bucket.number),
            SQLValue(time))
    }

    static func nextChange(in store: borrowing some Reading & ~Copyable) throws -> Timestamp? {
        try store.first("SELECT MIN(due_at) FROM due_changes") { try $0.timeOrNil(0) } ?? nil
    }

    /// Whose entitlements change by `now`, the longest overdue first.
    static func due(
        by now: Timestamp, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [Customer] {
        try store.all(
            "SELECT organisation, user FROM due_changes WHERE due_at <= ? ORDER BY due_at LIMIT ?", SQLValue(now),
            SQLValue(limit)
        ) { Customer(try $0.id(0), try $0.id(1)) }
    }
}
