internal import Lane
internal import Messages
internal import SQLite

/// What purchases count for, on the side of the install.
enum OutcomeStore {
    /// The revision of what `payer` was credited with; nil: nothing was told yet.
    static func revision(
        of credit: OutcomeCredit, of payer: AppUserID, in store: borrowing some Reading & ~Copyable
    ) throws -> Int64? {
        try store.first(
            """
            SELECT revision FROM outcomes WHERE organisation = ? AND app = ? AND experiment = ? AND environment = ?
                AND install = ? AND realm = ? AND transaction_id = ? AND user = ?
            """, bindings: credit.place + [SQLValue(payer)]
        ) { try $0.int64(0) }
    }

    /// Keeps what was told in the place of what was.
    static func save(_ credit: OutcomeCredit, of payer: AppUserID, in transaction: borrowing Transaction) throws {
        let purchase = credit.purchase
        try transaction.run(
            """
            REPLACE INTO outcomes (
                organisation, app, experiment, environment, install, realm, transaction_id, user, bucket, revision,
                named_at, counts, purchased_at, is_first, currency, paid, refunded, refund, rank,
                trust)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            bindings: credit.place + [
                SQLValue(payer), SQLValue(credit.bucket.number), SQLValue(credit.revision), SQLValue(credit.namedAt),
                SQLValue(purchase?.purchasedAt), SQLValue(purchase?.isFirst), SQLValue(purchase?.currency),
                SQLValue(purchase?.paidMilliunits), SQLValue(purchase?.refundedMilliunits),
                SQLValue(purchase?.refund), SQLValue(purchase?.rank), SQLValue(purchase?.trust),
            ])
        // One purchase counts once, whoever tells of it: a user who was erased and has come back does so as two.
        try transaction.run(
            """
            UPDATE outcomes SET counts = (purchased_at IS NOT NULL AND user = (
                SELECT o.user FROM outcomes o
                WHERE o.organisation = ?1 AND o.app = ?2 AND o.experiment = ?3 AND o.environment = ?4
                    AND o.install = ?5 AND o.realm = ?6 AND o.transaction_id = ?7 AND o.purchased_at IS NOT NULL
                ORDER BY o.revision DESC, o.user LIMIT 1))
            WHERE organisation = ?1 AND app = ?2 AND experiment = ?3 AND environment = ?4 AND install = ?5
                AND realm = ?6 AND transaction_id = ?7
            """, bindings: credit.place)
    }
}

extension OutcomeCredit {
    fileprivate var place: [SQLValue] {
        [
            SQLValue(organisation), SQLValue(app), SQLValue(experiment), SQLValue(environment), SQLValue(install),
            SQLValue(realm), SQLValue(transaction),
        ]
    }
}
