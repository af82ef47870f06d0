internal import Lane
internal import Messages
internal import SQLite

/// The counting evidence of each transaction of each chain.
enum EvidenceStore {
    private static let select = """
        SELECT environment, id, product, product_type, purchased_at, expires_at, revoked_at, signed_at, ownership,
            is_upgraded, account_token, quantity, price, currency, storefront, digest
        FROM evidence WHERE organisation = ? AND realm = ? AND original = ?
        """
    private static let selectAll = SQL(composed: select)
    private static let selectOne = SQL(composed: select + " AND environment = ? AND id = ?")

    /// Keeps `evidence` if it counts in place of what is there.
    ///
    /// - Returns: whether the chain amounts to something else now.
    static func record(
        _ evidence: Evidence, of chain: ChainID, through app: AppID, bucket: Bucket,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        let new = evidence.transaction
        let known = try transaction.first(
            selectOne, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original),
            SQLValue(new.environment), SQLValue(new.id)
        ) { try Self.evidence(of: chain, $0) }
        if let known, !evidence.supersedes(known) { return false }
        try transaction.run(
            """
            REPLACE INTO evidence (
                organisation, realm, original, bucket, app, digest, environment, id, product, product_type,
                purchased_at, expires_at, revoked_at, signed_at, ownership, is_upgraded, account_token, quantity,
                price, currency, storefront)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original),
            SQLValue(bucket.number), SQLValue(app), SQLValue(evidence.digest), SQLValue(new.environment),
            SQLValue(new.id), SQLValue(new.product), SQLValue(new.productType), SQLValue(new.purchasedAt),
            SQLValue(new.expiresAt), SQLValue(new.revokedAt), SQLValue(new.signedAt), SQLValue(new.ownership),
            SQLValue(new.isUpgraded), SQLValue(new.appAccountToken), SQLValue(new.quantity),
            SQLValue(new.priceMilliunits), SQLValue(new.currency), SQLValue(new.storefront))
        return known?.transaction != new
    }

    /// What a chain amounts to in each environment in which something is known of it.
    static func subscriptions(
        of chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> [Subscription] {
        let transactions = try store.all(
            selectAll, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original)
        ) { try evidence(of: chain, $0).transaction }
        return Dictionary(grouping: transactions, by: \.environment)
            .map { Subscription(environment: $0.key, transactions: $0.value) }
            .sorted { $0.environment < $1.environment }
    }

    private static func evidence(of chain: ChainID, _ row: borrowing Row) throws -> Evidence {
        Evidence(
            StoreTransaction(
                id: try row.id(1), originalID: chain.original, product: try row.id(2), productType: try row.idOrNil(3),
                environment: try row.id(0), purchasedAt: try row.time(4), expiresAt: try row.timeOrNil(5),
                revokedAt: try row.timeOrNil(6), signedAt: try row.time(7), ownership: try row.textOrNil(8),
                isUpgraded: try row.boolOrNil(9), appAccountToken: try row.textOrNil(10),
                quantity: try row.intOrNil(11), priceMilliunits: try row.int64OrNil(12),
                currency: try row.textOrNil(13), storefront: try row.textOrNil(14)), digest: try row.id(15))
    }
}
