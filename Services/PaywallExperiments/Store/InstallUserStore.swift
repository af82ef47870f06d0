internal import Lane
package import Messages
package import SQLite

/// As whom installs that take part in experiments were logged in.
package enum InstallUserStore {
    /// One who names more has made them up. Those whom attested callers name have as much room for themselves.
    static let mostUsers = 100

    /// A user, when he was named first, and whether an attested caller has named him since.
    package struct Named: Sendable, Hashable {
        package var user: AppUserID
        package var namedAt: Timestamp
        package var isAttested: Bool
    }

    /// Whether it is news that a caller names the user, attested or not, and there is room for him.
    static func isNews(
        _ user: AppUserID, isAttested: Bool, of holder: AssignmentStore.Holder,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        let known = try self.named(user, of: holder, in: store)
        if let known, known.isAttested || !isAttested { return false }
        return try count(of: holder, isAttested: isAttested, in: store) < mostUsers
    }

    /// What is known of a user whom an install has named.
    static func named(
        _ user: AppUserID, of holder: AssignmentStore.Holder, in store: borrowing some Reading & ~Copyable
    ) throws -> Named? {
        try store.first(
            """
            SELECT user, named_at, is_attested FROM install_users
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ? AND user = ?
            """, bindings: holder.bindings + [SQLValue(user)]
        ) { try named($0) }
    }

    /// All that an install has named, by user.
    package static func all(
        of holder: AssignmentStore.Holder, in store: borrowing some Reading & ~Copyable
    ) throws -> [Named] {
        try store.all(
            """
            SELECT user, named_at, is_attested FROM install_users
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ? ORDER BY user
            """, bindings: holder.bindings
        ) { try named($0) }
    }

    /// Keeps a user; one who is there stays, and is attested once an attested caller has named him.
    static func record(
        _ named: Named, of holder: AssignmentStore.Holder, bucket: Bucket, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO install_users (organisation, app, install, environment, user, bucket, named_at, is_attested)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET named_at = MIN(named_at, excluded.named_at),
                is_attested = MAX(is_attested, excluded.is_attested)
            """,
            bindings: holder.bindings + [
                SQLValue(named.user), SQLValue(bucket.number), SQLValue(named.namedAt), SQLValue(named.isAttested),
            ])
    }

    private static func count(
        of holder: AssignmentStore.Holder, isAttested: Bool, in store: borrowing some Reading & ~Copyable
    ) throws -> Int {
        try store.first(
            """
            SELECT COUNT(*) FROM install_users
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ? AND is_attested >= ?
            """, bindings: holder.bindings + [SQLValue(isAttested)]
        ) { try $0.int(0) } ?? 0
    }

    private static func named(_ row: borrowing Row) throws -> Named {
        Named(user: try row.id(0), namedAt: try row.time(1), isAttested: try row.bool(2))
    }
}
