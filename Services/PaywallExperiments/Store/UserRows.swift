internal import Erasures
internal import Lane
internal import Messages
internal import SQLite

/// Every table with rows that name a user, for whoever counts or forgets them.
enum UserRows {
    /// A table, what tells its rows of one user apart, and which of them are from before an erasure (`?3`).
    private struct Table {
        var name: String
        var key: String
        var isBefore: String
    }

    /// All but ``outcomes``, in the order in which they are emptied: later ones go by what is left of earlier ones.
    private static let tables = [
        Table(name: "install_users", key: "app, install, environment", isBefore: "named_at <= ?3"),
        Table(name: "user_exposures", key: "app, experiment, environment, install", isBefore: "named_at <= ?3"),
        Table(
            name: "exposed_users", key: "app, experiment, environment, trust",
            isBefore: """
                NOT EXISTS (
                    SELECT 1 FROM user_exposures e WHERE e.organisation = ?1 AND e.user = ?2 AND e.app = t.app
                        AND e.experiment = t.experiment AND e.environment = t.environment AND e.trust = t.trust)
                """),
        Table(
            name: "purchase_spans", key: "realm, environment, transaction_id, linked_at", isBefore: "linked_at <= ?3"),
        Table(
            name: "purchases", key: "realm, environment, transaction_id",
            isBefore: """
                NOT EXISTS (
                    SELECT 1 FROM purchase_spans s WHERE s.organisation = ?1 AND s.user = ?2 AND s.realm = t.realm
                        AND s.environment = t.environment AND s.transaction_id = t.transaction_id)
                """),
        Table(name: "refunds", key: "realm, environment, transaction_id", isBefore: hasNoPurchase),
        Table(
            name: "credits", key: "realm, environment, transaction_id, app, experiment, install",
            isBefore: hasNoPurchase),
    ]
    private static let hasNoPurchase = """
        NOT EXISTS (
            SELECT 1 FROM purchases p WHERE p.organisation = ?1 AND p.user = ?2 AND p.realm = t.realm
                AND p.environment = t.environment AND p.transaction_id = t.transaction_id)
        """
    /// They stay, under a placeholder: what was bought still counts.
    private static let outcomes = "outcomes"

    /// All of them.
    static let names = tables.map(\.name) + [outcomes]

    /// Forgets up to `limit` rows of each table.
    ///
    /// - Returns: whether that was all.
    static func forget(
        _ pending: ErasureStore.Pending, limit: Int, in transaction: borrowing Transaction
    ) throws -> Bool {
        let bindings = pending.customer.bindings + [SQLValue(pending.erasure.time)]
        for table in tables {
            let count = try transaction.run(
                SQL(
                    composed: """
                        DELETE FROM \(table.name) WHERE organisation = ?1 AND user = ?2 AND (\(table.key)) IN (
                            SELECT \(table.key) FROM \(table.name) t
                            WHERE organisation = ?1 AND user = ?2 AND \(table.isBefore) LIMIT ?4)
                        """), bindings: bindings + [SQLValue(limit)])
            guard count < limit else { return false }
        }
        try UserExposureStore.recount(pending.customer, in: transaction)
        // REPLACE: where a late credit has come under the placeholder already, one of both is left.
        let count = try transaction.run(
            """
            UPDATE OR REPLACE outcomes SET user = ?5
            WHERE organisation = ?1 AND user = ?2 AND (app, experiment, environment, install, realm, transaction_id) IN (
                SELECT app, experiment, environment, install, realm, transaction_id FROM outcomes
                WHERE organisation = ?1 AND user = ?2 AND named_at <= ?3 LIMIT ?4)
            """,
            bindings: bindings + [SQLValue(limit), SQLValue(AppUserID.erased(by: pending.erasure.command))])
        return count < limit
    }
}

extension FindTraces where Question == PaywallTraces {
    /// In all of these tables.
    init() { self.init(in: UserRows.names) }
}
