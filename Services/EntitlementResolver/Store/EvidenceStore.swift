internal import Lane
internal import Messages
internal import SQLite

/// All that artifacts tell of the transactions of each chain, and which of it counts.
enum EvidenceStore {
    /// One transaction of a chain.
    struct Subject {
        var chain: ChainID
        var environment: StoreEnvironment
        var id: TransactionID

        fileprivate var bindings: [SQLValue] {
            [
                SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original), SQLValue(environment),
                SQLValue(id),
            ]
        }
    }

    /// Keeps what a source tells of a transaction from `revision` on, unless it is known already what it tells from this
    /// revision or a later one on.
    ///
    /// - Parameter told: nil: nothing any more.
    /// - Returns: whether the chain amounts to something else now.
    static func record(
        _ told: Evidence?, from source: Evidence.Source, revision: Int, of subject: Subject, bucket: Bucket,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        let known = try transaction.first(
            """
            SELECT revision FROM evidence WHERE organisation = ? AND realm = ? AND original = ? AND environment = ?
                AND id = ? AND app = ? AND digest = ?
            """, bindings: subject.bindings + [SQLValue(source.app), SQLValue(source.digest)]
        ) { try $0.int(0) }
        if let known, known >= revision { return false }
        let before = try transaction.first(counting, bindings: subject.bindings) {
            try evidence(of: subject.chain, $0)
        }
        try write(told, from: source, revision: revision, of: subject, bucket: bucket, in: transaction)
        let after = try choose(after: before, source, tells: told, of: subject, in: transaction)
        // What has just been written counts not yet.
        if before?.source != source, before?.source != after?.source {
            try setCounts(false, before?.source, of: subject, in: transaction)
        }
        if after?.source == source || after?.source != before?.source {
            try setCounts(true, after?.source, of: subject, in: transaction)
        }
        return before?.transaction != after?.transaction
    }

    /// What a chain amounts to in each environment in which anything was ever known of it.
    static func subscriptions(
        of chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> [Subscription] {
        var found: [StoreEnvironment: [StoreTransaction]] = [:]
        try store.forEach(
            wholeChain, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original)
        ) { row in
            let environment: StoreEnvironment = try row.id(0)
            let isMark = try row.isNull(2)
            found[environment, default: []] += isMark ? [] : [try evidence(of: chain, row).transaction]
        }
        return found.map { Subscription(environment: $0.key, transactions: $0.value) }
            .sorted { $0.environment < $1.environment }
    }

    private static let select = """
        SELECT environment, id, product, product_type, purchased_at, expires_at, revoked_at, signed_at, ownership,
            is_upgraded, account_token, quantity, price, currency, storefront, app, digest
        FROM evidence WHERE organisation = ? AND realm = ? AND original = ? AND
        """
    private static let wholeChain = SQL(composed: select + " (counts = 1 OR product IS NULL)")
    private static let counting = SQL(composed: select + " environment = ? AND id = ? AND counts = 1")
    private static let all = SQL(composed: select + " environment = ? AND id = ? AND product IS NOT NULL")

    /// Which piece of evidence counts now. All of them are looked at only where the one that counted is gone.
    private static func choose(
        after before: Evidence?, _ source: Evidence.Source, tells told: Evidence?, of subject: Subject,
        in transaction: borrowing Transaction
    ) throws -> Evidence? {
        guard let before else { return told }
        if before.source != source { return told.map { $0.supersedes(before) ? $0 : before } ?? before }
        return try transaction.all(all, bindings: subject.bindings) { try evidence(of: subject.chain, $0) }
            .max { $1.supersedes($0) }
    }

    private static func write(
        _ told: Evidence?, from source: Evidence.Source, revision: Int, of subject: Subject, bucket: Bucket,
        in transaction: borrowing Transaction
    ) throws {
        let told = told?.transaction
        try transaction.run(
            """
            REPLACE INTO evidence (
                organisation, realm, original, environment, id, app, digest, bucket, revision, counts, product,
                product_type, purchased_at, expires_at, revoked_at, signed_at, ownership, is_upgraded, account_token,
                quantity, price, currency, storefront)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            bindings: subject.bindings + [
                SQLValue(source.app), SQLValue(source.digest), SQLValue(bucket.number), SQLValue(revision),
                SQLValue(told?.product), SQLValue(told?.productType), SQLValue(told?.purchasedAt),
                SQLValue(told?.expiresAt), SQLValue(told?.revokedAt), SQLValue(told?.signedAt),
                SQLValue(told?.ownership), SQLValue(told?.isUpgraded), SQLValue(told?.appAccountToken),
                SQLValue(told?.quantity), SQLValue(told?.priceMilliunits), SQLValue(told?.currency),
                SQLValue(told?.storefront),
            ])
    }

    private static func setCounts(
        _ counts: Bool, _ source: Evidence.Source?, of subject: Subject, in transaction: borrowing Transaction
    ) throws {
        guard let source else { return }
        try transaction.run(
            """
            UPDATE evidence SET counts = ? WHERE organisation = ? AND realm = ? AND original = ? AND environment = ?
                AND id = ? AND app = ? AND digest = ?
            """, bindings: [SQLValue(counts)] + subject.bindings + [SQLValue(source.app), SQLValue(source.digest)])
    }

    private static func evidence(of chain: ChainID, _ row: borrowing Row) throws -> Evidence {
        Evidence(
            StoreTransaction(
                id: try row.id(1), originalID: chain.original, product: try row.id(2), productType: try row.idOrNil(3),
                environment: try row.id(0), purchasedAt: try row.time(4), expiresAt: try row.timeOrNil(5),
                revokedAt: try row.timeOrNil(6), signedAt: try row.time(7), ownership: try row.textOrNil(8),
                isUpgraded: try row.boolOrNil(9), appAccountToken: try row.textOrNil(10),
                quantity: try row.intOrNil(11), priceMilliunits: try row.int64OrNil(12),
                currency: try row.textOrNil(13), storefront: try row.textOrNil(14)),
            from: Evidence.Source(app: try row.id(15), digest: try row.id(16)))
    }
}
