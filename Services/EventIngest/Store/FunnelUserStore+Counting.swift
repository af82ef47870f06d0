internal import Lane
internal import Messages
internal import SQLite

extension FunnelUserStore {
    /// What is counted of a user.
    struct Counted {
        var bucket: Int
        var steps: StepsReached
        var isExposed: Bool
        var hasPurchased: Bool
        var isRefunded: Bool
    }

    /// Visits the users of an app, as one environment sees them, whose first event of the funnel was in a time.
    ///
    /// A step says nothing about where it was shown: it is the production's, unless all else that is known of its user is
    /// the sandbox's.
    static func forEach(
        of app: App, in environment: StoreEnvironment, by view: FunnelView, from: Timestamp?, to: Timestamp?,
        in store: borrowing some Reading & ~Copyable, _ visit: (Counted) throws -> Void
    ) throws {
        guard environment == .production || environment == .sandbox else { return }
        try store.forEach(
            environment == .production ? ofProduction : ofSandbox,
            bindings: [
                SQLValue(app.organisation), SQLValue(app.id), SQLValue(from ?? .distantPast),
                SQLValue(to?.millisecondsSince1970 ?? .max), SQLValue(view.rawValue),
            ]
        ) { row in
            try visit(
                Counted(
                    bucket: try row.int(0), steps: StepsReached(bytes: try row.blob(1)), isExposed: try row.bool(2),
                    hasPurchased: try row.bool(3), isRefunded: try row.bool(4)))
        }
    }

    private static let ofProduction: SQL = """
        SELECT bucket, steps, exposed_at IS NOT NULL, purchased_at IS NOT NULL, is_refunded FROM funnel_users
        WHERE organisation = ?1 AND app = ?2 AND views & ?5 <> 0
            AND (exposed_at IS NOT NULL OR purchased_at IS NOT NULL
                OR (stepped_at IS NOT NULL AND sandbox_exposed_at IS NULL AND sandbox_purchased_at IS NULL))
            AND MIN(IFNULL(stepped_at, ?4), IFNULL(exposed_at, ?4), IFNULL(purchased_at, ?4)) >= ?3
            AND MIN(IFNULL(stepped_at, ?4), IFNULL(exposed_at, ?4), IFNULL(purchased_at, ?4)) < ?4
        """

    private static let ofSandbox: SQL = """
        SELECT bucket, steps, sandbox_exposed_at IS NOT NULL, sandbox_purchased_at IS NOT NULL, is_sandbox_refunded
        FROM funnel_users
        WHERE organisation = ?1 AND app = ?2 AND views & ?5 <> 0
            AND (sandbox_exposed_at IS NOT NULL OR sandbox_purchased_at IS NOT NULL)
            AND MIN(IFNULL(stepped_at, ?4), IFNULL(sandbox_exposed_at, ?4), IFNULL(sandbox_purchased_at, ?4)) >= ?3
            AND MIN(IFNULL(stepped_at, ?4), IFNULL(sandbox_exposed_at, ?4), IFNULL(sandbox_purchased_at, ?4)) < ?4
        """
}
