internal import Lane
internal import Messages
internal import SQLite

/// All that stores have signed about what will become of each chain. It is only asked for what decides anything: years of
/// it may be there.
enum RenewalStore {
    /// The future of a chain in one environment.
    struct Subject {
        var chain: ChainID
        var environment: StoreEnvironment

        fileprivate var bindings: [SQLValue] { chain.bindings + [SQLValue(environment)] }
    }

    /// Keeps what a source tells from `revision` on, unless it is known already what it tells from this revision or a
    /// later one on.
    ///
    /// - Parameters:
    ///   - told: nil: nothing any more.
    ///   - now: since when that is known here.
    /// - Returns: whether something else decides now.
    static func record(
        _ told: StoreRenewal?, from source: Evidence.Source, revision: Int, of subject: Subject, bucket: Bucket,
        now: Timestamp, in transaction: borrowing Transaction
    ) throws -> Bool {
        let known = try transaction.first(
            """
            SELECT revision FROM renewals WHERE organisation = ? AND realm = ? AND original = ? AND environment = ?
                AND app = ? AND digest = ?
            """, bindings: subject.bindings + [SQLValue(source.app), SQLValue(source.digest)]
        ) { try $0.int(0) }
        if let known, known >= revision { return false }
        let before = try deciding(of: subject.chain, subject.environment, in: transaction)
        let name = subject.bindings + [SQLValue(source.app), SQLValue(source.digest)]
        if let told {
            try transaction.run(
                """
                REPLACE INTO renewals (
                    organisation, realm, original, environment, app, digest, bucket, revision, known_at, signed_at,
                    renews_at, grace_expires_at, renewal)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                bindings: name + [
                    SQLValue(bucket.number), SQLValue(revision), SQLValue(now), SQLValue(told.signedAt),
                    SQLValue(told.renewsAt), SQLValue(told.graceExpiresAt), .blob(try MessageJSON.encode(told)),
                ])
        } else {
            try transaction.run(
                """
                INSERT INTO renewals (
                    organisation, realm, original, environment, app, digest, bucket, revision, known_at, retracted_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET revision = excluded.revision, retracted_at = excluded.retracted_at
                """, bindings: name + [SQLValue(bucket.number), SQLValue(revision), SQLValue(now), SQLValue(now)])
        }
        return try deciding(of: subject.chain, subject.environment, in: transaction) != before
    }

    /// What decides anything, oldest first. What was verified for an app says nothing where no transaction of the chain
    /// was: renewal information names no app itself.
    static func deciding(
        of chain: ChainID, _ environment: StoreEnvironment, in store: borrowing some Reading & ~Copyable
    ) throws -> [StoreRenewal] {
        let subject = Subject(chain: chain, environment: environment).bindings
        let newest = try store.all(newest, bindings: subject) { try told($0) }
        let graces = try store.all(graces, bindings: subject) { try told($0) }
        let ends = try graces.compactMap { grace in
            let renewal = grace.renewal
            let bindings = [
                SQLValue(renewal.renewsAt), SQLValue(renewal.signedAt), SQLValue(renewal.graceExpiresAt),
            ]
            return try store.first(end, bindings: subject + bindings) { try told($0) }
        }
        return RenewalEvidence.deciding(among: newest + graces + ends)
    }

    // Left to itself SQLite goes through all that was ever signed about the chain.
    private static let newest = SQL(
        composed: select(by: "renewals_by_time") + " ORDER BY signed_at DESC, digest DESC, app DESC LIMIT 1")
    private static let graces = SQL(
        composed: select(by: "renewals_with_grace") + " AND grace_expires_at IS NOT NULL")
    /// The first that was signed in a grace period, about the same period, and does not speak of it.
    private static let end = SQL(
        composed: select(by: "renewals_by_time") + """
             AND renews_at IS ?5 AND signed_at > ?6 AND signed_at < ?7 AND grace_expires_at IS NOT ?7
            ORDER BY signed_at, digest, app LIMIT 1
            """)

    private static func select(by index: String) -> String {
        """
        SELECT renewal, app, digest FROM renewals AS r INDEXED BY \(index)
        WHERE organisation = ?1 AND realm = ?2 AND original = ?3 AND environment = ?4 AND retracted_at IS NULL
            AND EXISTS (
                SELECT 1 FROM evidence AS e
                WHERE e.organisation = ?1 AND e.realm = ?2 AND e.original = ?3 AND e.environment = ?4
                    AND e.app = r.app AND e.product IS NOT NULL AND e.retracted_at IS NULL)
        """
    }

    private static func told(_ row: borrowing Row) throws -> RenewalEvidence {
        RenewalEvidence(try row.json(0), from: Evidence.Source(app: try row.id(1), digest: try row.id(2)))
    }
}
