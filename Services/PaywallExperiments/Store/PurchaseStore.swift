internal import Lane
internal import Messages
internal import SQLite

/// What users bought and got back, by what was told under the highest revision.
enum PurchaseStore {
    /// One purchase of one user.
    struct ID: Hashable {
        var customer: Customer
        var realm: Realm
        var environment: StoreEnvironment
        var transaction: TransactionID

        var bindings: [SQLValue] {
            customer.bindings + [SQLValue(realm), SQLValue(environment), SQLValue(transaction)]
        }
    }

    /// All that was told of a purchase; nil while only of a refund of it.
    static func purchase(_ id: ID, in store: borrowing some Reading & ~Copyable) throws -> Purchase? {
        let told: CustomerPurchase? = try store.first(
            """
            SELECT told FROM purchases
            WHERE organisation = ? AND user = ? AND realm = ? AND environment = ? AND transaction_id = ?
            """, bindings: id.bindings
        ) { try $0.json(0) }
        guard let told else { return nil }
        let spans = try store.all(
            """
            SELECT linked_at, lost_at FROM purchase_spans
            WHERE organisation = ? AND user = ? AND realm = ? AND environment = ? AND transaction_id = ?
            ORDER BY linked_at
            """, bindings: id.bindings
        ) { Purchase.Span(linkedAt: try $0.time(0), lostAt: try $0.timeOrNil(1)) }
        let refund: CustomerRefund? = try store.first(
            """
            SELECT told FROM refunds
            WHERE organisation = ? AND user = ? AND realm = ? AND environment = ? AND transaction_id = ?
            """, bindings: id.bindings
        ) { try $0.json(0) }
        return Purchase(told: told, spans: spans, refund: refund)
    }

    /// Keeps what was told of a purchase.
    ///
    /// - Returns: whether that says anything that was not known.
    static func record(
        _ told: CustomerPurchase, of id: ID, in transaction: borrowing Transaction
    ) throws -> Bool {
        let newer = try transaction.run(
            """
            INSERT INTO purchases (
                organisation, user, realm, environment, transaction_id, bucket, revision, chain_began_at, told)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, chain_began_at = excluded.chain_began_at,
                told = excluded.told
            WHERE excluded.revision > revision
            """,
            bindings: id.bindings + [
                SQLValue(id.customer.bucket.number), SQLValue(told.revision),
                SQLValue(min(told.chainBeganAt, told.purchasedAt)), .blob(try MessageJSON.encode(told)),
            ])
        let span = try transaction.run(
            """
            INSERT INTO purchase_spans (
                organisation, user, realm, environment, transaction_id, linked_at, bucket, revision, lost_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, lost_at = excluded.lost_at
            WHERE excluded.revision > revision
            """,
            bindings: id.bindings + [
                SQLValue(told.linkedAt), SQLValue(id.customer.bucket.number), SQLValue(told.revision),
                SQLValue(told.lostAt),
            ])
        return newer + span > 0
    }

    /// Keeps what was told of a refund.
    ///
    /// - Returns: whether it is news.
    static func record(_ told: CustomerRefund, of id: ID, in transaction: borrowing Transaction) throws -> Bool {
        try transaction.run(
            """
            INSERT INTO refunds (organisation, user, realm, environment, transaction_id, bucket, revision, told)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, told = excluded.told
            WHERE excluded.revision > revision
            """,
            bindings: id.bindings + [
                SQLValue(id.customer.bucket.number), SQLValue(told.revision), .blob(try MessageJSON.encode(told)),
            ]) > 0
    }

    /// Purchases of chains that began at a time or later, and before another one, if any.
    static func ids(
        of customer: Customer, _ environment: StoreEnvironment, from start: Timestamp, to end: Timestamp?,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [ID] {
        try store.all(
            """
            SELECT realm, transaction_id FROM purchases
            WHERE organisation = ? AND user = ? AND environment = ? AND chain_began_at >= ?
                AND chain_began_at < IFNULL(?, 9223372036854775807)
            """, bindings: customer.bindings + [SQLValue(environment), SQLValue(start), SQLValue(end)]
        ) { ID(customer: customer, realm: try $0.id(0), environment: environment, transaction: try $0.id(1)) }
    }
}
