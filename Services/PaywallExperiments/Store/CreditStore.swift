internal import Lane
internal import Messages
internal import SQLite

/// What installs' partitions were told of a user's purchases last.
enum CreditStore {
    /// What the partition of one install was told.
    struct Told: Hashable {
        var namedAt: Timestamp
        var revision: Int64
        /// Nil: that it counts no more.
        var purchase: OutcomeCredit.Purchase?
    }

    /// By install: those for whom it counts, and what `others` were told last. Of all others that it counts for no more
    /// there may be any number.
    static func told(
        of id: PurchaseStore.ID, in field: Exposure.Field, with others: some Sequence<InstallID>,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [InstallID: Told] {
        var told: [InstallID: Told] = [:]
        let place = id.bindings + [SQLValue(field.app), SQLValue(field.experiment)]
        try store.forEach(
            """
            SELECT install, named_at, revision, purchase FROM credits INDEXED BY credits_counting
            WHERE organisation = ? AND user = ? AND realm = ? AND environment = ? AND transaction_id = ? AND app = ?
                AND experiment = ? AND purchase IS NOT NULL
            """, bindings: place
        ) { told[try $0.id(0)] = try Self.told($0) }
        for install in others where told[install] == nil {
            told[install] = try store.first(
                """
                SELECT install, named_at, revision, purchase FROM credits
                WHERE organisation = ? AND user = ? AND realm = ? AND environment = ? AND transaction_id = ? AND app = ?
                    AND experiment = ? AND install = ?
                """, bindings: place + [SQLValue(install)]
            ) { try Self.told($0) }
        }
        return told
    }

    private static func told(_ row: borrowing Row) throws -> Told {
        Told(
            namedAt: try row.time(1), revision: try row.int64(2),
            purchase: try row.isNull(3) ? nil : row.json(3))
    }

    static func save(
        _ told: Told, of id: PurchaseStore.ID, in field: Exposure.Field, _ install: InstallID,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            REPLACE INTO credits (
                organisation, user, realm, environment, transaction_id, app, experiment, install, bucket, named_at,
                revision, purchase)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            bindings: id.bindings + [
                SQLValue(field.app), SQLValue(field.experiment), SQLValue(install),
                SQLValue(id.customer.bucket.number), SQLValue(told.namedAt), SQLValue(told.revision),
                SQLValue(try told.purchase.map { try MessageJSON.encode($0) }),
            ])
    }
}
