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

        fileprivate var bindings: [SQLValue] { chain.bindings + [SQLValue(environment), SQLValue(id)] }
    }

    /// Keeps what a source tells of a transaction from `revision` on, unless it is known already what it tells from this
    /// revision or a later one on.
    ///
    /// - Parameters:
    ///   - told: nil: nothing any more.
    ///   - now: since when that is known here.
    /// - Returns: whether the chain amounts to something else now.
    static func record(
        _ told: Evidence?, from source: Evidence.Source, revision: Int, of subject: Subject, bucket: Bucket,
        now: Timestamp, in transaction: borrowing Transaction
    ) throws -> Bool {
        let known = try transaction.first(
            """
            SELECT revision FROM evidence WHERE organisation = ? AND realm = ? AND original = ? AND environment = ?
                AND id = ? AND app = ? AND digest = ?
            """, bindings: subject.bindings + [SQLValue(source.app), SQLValue(source.digest)]
        ) { try $0.int(0) }
        if let known, known >= revision { return false }
        let before = CountingEvidence(
            of: try transaction.all(counting, bindings: subject.bindings) { try evidence(of: subject.chain, $0) })
        // Renewal information for an app says something from the app's first transaction on, and to its last.
        let spokeForApp = try speaks(for: source.app, of: subject, in: transaction)
        if let told {
            try write(told, revision: revision, of: subject, bucket: bucket, now: now, in: transaction)
        } else {
            try mark(source, revision: revision, of: subject, bucket: bucket, now: now, in: transaction)
        }
        var after = before
        if before.sources.contains(source) {
            // All of it is looked at only where what counted is gone.
            after = CountingEvidence(
                of: try transaction.all(all, bindings: subject.bindings) { try evidence(of: subject.chain, $0) })
        } else if let told {
            after.add(told)
        }
        // What has just been written counts not yet.
        for gone in before.sources.subtracting(after.sources) where gone != source {
            try setCounts(false, gone, of: subject, in: transaction)
        }
        for counting in after.sources where counting == source || !before.sources.contains(counting) {
            try setCounts(true, counting, of: subject, in: transaction)
        }
        let speaksForApp = try speaks(for: source.app, of: subject, in: transaction)
        return before.transaction != after.transaction || spokeForApp != speaksForApp
    }

    /// What a chain amounts to in each environment in which anything was ever known of it.
    static func subscriptions(
        of chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> [Subscription] {
        var found: [StoreEnvironment: [TransactionID: CountingEvidence]] = [:]
        try store.forEach(
            wholeChain, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original)
        ) { row in
            let environment: StoreEnvironment = try row.id(0)
            var counting = found[environment] ?? [:]
            if try row.int(23) > 0 {
                let evidence = try evidence(of: chain, row)
                counting[evidence.transaction.id, default: CountingEvidence()].add(evidence)
            }
            found[environment] = counting
        }
        return try found.map { environment, counting in
            Subscription(
                environment: environment, transactions: counting.values.compactMap(\.transaction),
                renewals: counting.isEmpty ? [] : try RenewalStore.deciding(of: chain, environment, in: store))
        }.sorted { $0.environment < $1.environment }
    }

    /// Whether anything is known of a chain in an environment that was verified for the app.
    private static func speaks(
        for app: AppID, of subject: Subject, in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM evidence WHERE organisation = ? AND realm = ? AND original = ? AND environment = ?
                AND app = ? AND product IS NOT NULL AND retracted_at IS NULL
            """, bindings: Array(subject.bindings.dropLast()) + [SQLValue(app)])
    }

    private static let columns = """
        SELECT environment, id, product, product_type, purchased_at, expires_at, revoked_at, signed_at, ownership,
            is_upgraded, account_token, quantity, price, currency, storefront, app, digest, offer_type, offer,
            offer_discount, revocation_reason, revocation_type, revocation_percentage, counts
        FROM evidence
        """
    private static let chain = " WHERE organisation = ? AND realm = ? AND original = ? AND"
    // Left to itself SQLite goes through all that was ever signed anew.
    private static let wholeChain = SQL(
        composed: columns + " INDEXED BY evidence_that_counts" + chain
            + " (counts > 0 OR product IS NULL OR retracted_at IS NOT NULL)")
    private static let counting = SQL(composed: columns + chain + " environment = ? AND id = ? AND counts > 0")
    private static let all = SQL(
        composed: columns + chain + " environment = ? AND id = ? AND product IS NOT NULL AND retracted_at IS NULL")

    private static func write(
        _ told: Evidence, revision: Int, of subject: Subject, bucket: Bucket, now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        let (told, source) = (told.transaction, told.source)
        try transaction.run(
            """
            REPLACE INTO evidence (
                organisation, realm, original, environment, id, app, digest, bucket, revision, counts, product,
                product_type, purchased_at, expires_at, revoked_at, signed_at, ownership, is_upgraded, account_token,
                quantity, price, currency, storefront, offer_type, offer, offer_discount, revocation_reason,
                revocation_type, revocation_percentage, known_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            bindings: subject.bindings + [
                SQLValue(source.app), SQLValue(source.digest), SQLValue(bucket.number), SQLValue(revision),
                SQLValue(told.product), SQLValue(told.productType), SQLValue(told.purchasedAt),
                SQLValue(told.expiresAt), SQLValue(told.revokedAt), SQLValue(told.signedAt),
                SQLValue(told.ownership), SQLValue(told.isUpgraded), SQLValue(told.appAccountToken),
                SQLValue(told.quantity), SQLValue(told.priceMilliunits), SQLValue(told.currency),
                SQLValue(told.storefront), SQLValue(told.offerType), SQLValue(told.offerID),
                SQLValue(told.offerDiscount), SQLValue(told.revocationReason), SQLValue(told.revocationType),
                SQLValue(told.revocationPercentage), SQLValue(now),
            ])
    }

    /// Notes that a source tells nothing any more; what it told stays for whoever asks about the past.
    private static func mark(
        _ source: Evidence.Source, revision: Int, of subject: Subject, bucket: Bucket, now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO evidence (
                organisation, realm, original, environment, id, app, digest, bucket, revision, counts, retracted_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, counts = 0, retracted_at = excluded.retracted_at
            """,
            bindings: subject.bindings + [
                SQLValue(source.app), SQLValue(source.digest), SQLValue(bucket.number), SQLValue(revision),
                SQLValue(now),
            ])
    }

    private static func setCounts(
        _ counts: Bool, _ source: Evidence.Source, of subject: Subject, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            UPDATE evidence SET counts = ? WHERE organisation = ? AND realm = ? AND original = ? AND environment = ?
                AND id = ? AND app = ? AND digest = ?
            """, bindings: [SQLValue(counts)] + subject.bindings + [SQLValue(source.app), SQLValue(source.digest)])
    }

    private static func evidence(of chain: ChainID, _ row: borrowing Row) throws -> Evidence {
        var told = StoreTransaction(
            id: try row.id(1), originalID: chain.original, product: try row.id(2), productType: try row.idOrNil(3),
            environment: try row.id(0), purchasedAt: try row.time(4), expiresAt: try row.timeOrNil(5),
            revokedAt: try row.timeOrNil(6), signedAt: try row.time(7), ownership: try row.textOrNil(8),
            isUpgraded: try row.boolOrNil(9), appAccountToken: try row.textOrNil(10), quantity: try row.intOrNil(11),
            priceMilliunits: try row.int64OrNil(12), currency: try row.textOrNil(13), storefront: try row.textOrNil(14))
        told.offerType = try row.intOrNil(17)
        told.offerID = try row.textOrNil(18)
        told.offerDiscount = try row.textOrNil(19)
        told.revocationReason = try row.intOrNil(20)
        told.revocationType = try row.textOrNil(21)
        told.revocationPercentage = try row.int64OrNil(22)
        return Evidence(told, from: Evidence.Source(app: try row.id(15), digest: try row.id(16)))
    }
}
