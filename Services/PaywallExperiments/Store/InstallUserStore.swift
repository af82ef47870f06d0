internal import Lane
package import Messages
package import SQLite

/// As whom installs that take part in experiments were logged in.
package enum InstallUserStore {
    /// One who names more has made them up.
    static let mostUsers = 100

    /// A user, and when he was named first.
    package struct Named: Sendable, Hashable {
        package var user: AppUserID
        package var namedAt: Timestamp
    }

    /// Whether the user is to be kept: he is new, and there is room for him.
    static func isNew(
        _ user: AppUserID, of holder: AssignmentStore.Holder, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        let isKnown = try store.first(
            """
            SELECT 1 FROM install_users
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ? AND user = ?
            """, bindings: holder.bindings + [SQLValue(user)]
        ) { try $0.int(0) }
        return try isKnown == nil && count(of: holder, in: store) < mostUsers
    }

    /// All that an install has named, by user.
    package static func all(
        of holder: AssignmentStore.Holder, in store: borrowing some Reading & ~Copyable
    ) throws -> [Named] {
        try store.all(
            """
            SELECT user, named_at FROM install_users
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ? ORDER BY user
            """, bindings: holder.bindings
        ) { Named(user: try $0.id(0), namedAt: try $0.time(1)) }
    }

    /// Keeps a user; one who is there stays.
    static func record(
        _ named: Named, of holder: AssignmentStore.Holder, bucket: Bucket, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO install_users (organisation, app, install, environment, user, bucket, named_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, bindings: holder.bindings + [SQLValue(named.user), SQLValue(bucket.number), SQLValue(named.namedAt)])
    }

    private static func count(
        of holder: AssignmentStore.Holder, in store: borrowing some Reading & ~Copyable
    ) throws -> Int {
        try store.first(
            """
            SELECT COUNT(*) FROM install_users
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ?
            """, bindings: holder.bindings
        ) { try $0.int(0) } ?? 0
    }
}
