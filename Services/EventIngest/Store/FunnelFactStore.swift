internal import Lane
internal import Messages
internal import SQLite

/// What other services have told of users, as far as the funnel counts it.
enum FunnelFactStore {
    /// Keeps that a user has seen a paywall: the first time that attested callers tell, and the first that others do.
    static func record(_ told: PaywallExposed, of customer: Customer, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO funnel_exposures (
                organisation, user, app, environment, install, experiment, is_attested, bucket, exposed_at, named_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET exposed_at = MIN(exposed_at, excluded.exposed_at),
                named_at = MAX(named_at, excluded.named_at)
            """, SQLValue(told.organisation), SQLValue(told.user), SQLValue(told.app), SQLValue(told.environment),
            SQLValue(told.install), SQLValue(told.experiment), SQLValue(told.trust.isAttested),
            SQLValue(customer.bucket.number), SQLValue(told.exposedAt), SQLValue(told.namedAt))
    }

    /// Keeps what was told of a purchase, unless something newer is known.
    ///
    /// - Returns: whether it was news.
    static func record(
        _ told: CustomerPurchase, of customer: Customer, toldAt: Timestamp, in transaction: borrowing Transaction
    ) throws -> Bool {
        let counts = told.isHeld && !told.isFamilyShared
        return try transaction.run(
            """
            INSERT INTO funnel_purchases (
                organisation, user, realm, environment, original, id, bucket, told_at, revision, app, purchased_at,
                counts, refund_revision, is_refunded)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)
            ON CONFLICT DO UPDATE SET told_at = MAX(told_at, excluded.told_at), revision = excluded.revision,
                app = excluded.app, purchased_at = excluded.purchased_at, counts = excluded.counts
            WHERE excluded.revision > revision
            """,
            bindings: place(told.realm, told.environment, told.originalTransaction, told.transaction, of: customer) + [
                SQLValue(toldAt), SQLValue(told.revision), SQLValue(told.app), SQLValue(told.purchasedAt),
                SQLValue(counts),
            ]) > 0
    }

    /// Keeps what was told of a refund, unless something newer is known. What was paid back in part was paid for all the
    /// same.
    ///
    /// - Returns: whether it was news.
    static func record(
        _ told: CustomerRefund, of customer: Customer, toldAt: Timestamp, in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.run(
            """
            INSERT INTO funnel_purchases (
                organisation, user, realm, environment, original, id, bucket, told_at, revision, counts,
                refund_revision, is_refunded)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)
            ON CONFLICT DO UPDATE SET told_at = MAX(told_at, excluded.told_at),
                refund_revision = excluded.refund_revision, is_refunded = excluded.is_refunded
            WHERE excluded.refund_revision > refund_revision
            """,
            bindings: place(told.realm, told.environment, told.originalTransaction, told.transaction, of: customer) + [
                SQLValue(toldAt), SQLValue(told.revision), SQLValue(told.isWhole),
            ]) > 0
    }

    /// The paywalls that a user has seen in an app: the first of each environment, by whose word.
    static func exposures(
        of customer: Customer, in app: AppID, in store: borrowing some Reading & ~Copyable
    ) throws -> [FunnelStory.Exposure] {
        try store.all(
            """
            SELECT environment, MIN(exposed_at), is_attested FROM funnel_exposures
            WHERE organisation = ? AND user = ? AND app = ? GROUP BY environment, is_attested
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(app)
        ) { FunnelStory.Exposure(environment: try $0.id(0), at: try $0.time(1), isAttested: try $0.bool(2)) }
    }

    /// What a user has bought in an app, by environment.
    static func purchases(
        of customer: Customer, in app: AppID, in store: borrowing some Reading & ~Copyable
    ) throws -> [StoreEnvironment: FunnelPath.Sales] {
        let found = try store.all(
            """
            SELECT environment, MIN(purchased_at), MIN(is_refunded) FROM funnel_purchases
            WHERE organisation = ? AND user = ? AND app = ? AND counts = 1 GROUP BY environment
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(app)
        ) { row in
            (
                environment: StoreEnvironment(rawValue: try row.text(0)),
                sales: FunnelPath.Sales(purchasedAt: try row.timeOrNil(1), isRefunded: try row.bool(2))
            )
        }
        return found.reduce(into: [:]) { sales, one in sales[one.environment] = one.sales }
    }

    /// Where it is kept, and its bucket.
    private static func place(
        _ realm: Realm, _ environment: StoreEnvironment, _ original: OriginalTransactionID, _ id: TransactionID,
        of customer: Customer
    ) -> [SQLValue] {
        [
            SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(realm), SQLValue(environment),
            SQLValue(original), SQLValue(id), SQLValue(customer.bucket.number),
        ]
    }
}
