internal import Lane
internal import Messages
internal import SQLite

/// All claims to chains, in the order of their versions, each with what it did.
enum ClaimStore {
    /// A claim as it is kept.
    struct Kept {
        var claim: Claim
        /// Nil: one that this release does not know, or none yet.
        var outcome: ClaimOutcome?
        /// When it was taken in; nil: by a release that did not note it.
        var knownAt: Timestamp?
    }

    /// Claims that changed nothing are kept this long behind their user's newest of the same kind: longer than a
    /// message can wait in the retry ladder.
    static let retention = Duration.seconds(30 * 86_400)

    static func contains(
        _ version: FactVersion, to chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            """
            SELECT 1 FROM claims
            WHERE organisation = ? AND realm = ? AND original = ? AND accepted_at = ? AND message_id = ?
            """, bindings: chain.bindings + [SQLValue(version.acceptedAt), SQLValue(version.message)])
    }

    /// The version of the newest claim.
    static func newest(to chain: ChainID, in store: borrowing some Reading & ~Copyable) throws -> FactVersion? {
        try store.first(
            """
            SELECT accepted_at, message_id FROM claims WHERE organisation = ? AND realm = ? AND original = ?
            ORDER BY accepted_at DESC, message_id DESC LIMIT 1
            """, bindings: chain.bindings
        ) { FactVersion(try $0.time(0), MessageID(rawValue: try $0.text(1))) }
    }

    /// When the newest claim of a user was accepted; nil: he has made none.
    static func newest(
        of user: AppUserID, to chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> Timestamp? {
        try store.first(
            """
            SELECT MAX(accepted_at) FROM claims
            WHERE organisation = ? AND user = ? AND realm = ? AND original = ?
            """, SQLValue(chain.organisation), SQLValue(user), SQLValue(chain.realm), SQLValue(chain.original)
        ) { try $0.timeOrNil(0) } ?? nil
    }

    /// Every claim with its outcome, oldest first; of more than `limit` the newest.
    static func all(
        to chain: ChainID, limit: Int = .max, in store: borrowing some Reading & ~Copyable
    ) throws -> [Kept] {
        try store.all(
            """
            SELECT accepted_at, message_id, app, user, rank, policy, digest, claimed_rank, rank_without, outcome, known_at
            FROM claims WHERE organisation = ? AND realm = ? AND original = ?
            ORDER BY accepted_at DESC, message_id DESC LIMIT ?
            """, bindings: chain.bindings + [SQLValue(limit)]
        ) { try kept($0, from: 0) }.reversed()
    }

    /// Reads the columns from `accepted_at` to `known_at`, in this order.
    static func kept(_ row: borrowing Row, from column: Int) throws -> Kept {
        let digest: ArtifactDigest? = try row.idOrNil(column + 6)
        let grounds = try digest.map { digest in
            Claim.Grounds(
                digest: digest, rank: try row.rank(column + 7), rankWithout: try row.rank(column + 8))
        }
        let version = FactVersion(try row.time(column), MessageID(rawValue: try row.text(column + 1)))
        return Kept(
            claim: Claim(
                version: version, app: try row.id(column + 2), user: try row.id(column + 3),
                rank: try row.rank(column + 4), policy: try row.id(column + 5), grounds: grounds),
            outcome: ClaimOutcome(rawValue: try row.text(column + 9)), knownAt: try row.timeOrNil(column + 10))
    }

    /// Whether anybody claimed the chain through this app.
    static func wasMade(
        through app: AppID, to chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            "SELECT 1 FROM claims WHERE organisation = ? AND realm = ? AND original = ? AND app = ?",
            bindings: chain.bindings + [SQLValue(app)])
    }

    /// Whether any claim was judged by what the chain's evidence says.
    static func dependsOnEvidence(
        _ chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            """
            SELECT 1 FROM claims WHERE organisation = ? AND realm = ? AND original = ?
            AND outcome IN ('moved_inactive', 'still_active')
            """, bindings: chain.bindings)
    }

    static func insert(
        _ claim: Claim, to chain: ChainID, outcome: ClaimOutcome, knownAt: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO claims (
                organisation, realm, original, bucket, accepted_at, message_id, app, user, rank, policy, outcome,
                known_at, digest, claimed_rank, rank_without)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            bindings: chain.bindings + [
                SQLValue(chain.bucket.number), SQLValue(claim.version.acceptedAt), SQLValue(claim.version.message),
                SQLValue(claim.app), SQLValue(claim.user), SQLValue(claim.rank), SQLValue(claim.policy),
                SQLValue(outcome), SQLValue(knownAt), SQLValue(claim.grounds?.digest),
                SQLValue(claim.grounds?.rank), SQLValue(claim.grounds?.rankWithout),
            ])
    }

    static func judge(
        _ version: FactVersion, to chain: ChainID, as outcome: ClaimOutcome, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            UPDATE claims SET outcome = ?
            WHERE organisation = ? AND realm = ? AND original = ? AND accepted_at = ? AND message_id = ?
            """,
            bindings: [SQLValue(outcome)] + chain.bindings + [
                SQLValue(version.acceptedAt), SQLValue(version.message),
            ])
    }

    /// Whether the rank of any claim rests on what this artifact tells of the chain.
    static func rests(
        on source: Evidence.Source, to chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            """
            SELECT 1 FROM claims WHERE organisation = ? AND realm = ? AND original = ? AND digest = ? AND app = ?
            """, bindings: chain.bindings + [SQLValue(source.digest), SQLValue(source.app)])
    }

    /// Lets the claims that rest on an artifact have the rank that it lends them, or that of the caller's word.
    ///
    /// - Returns: whether any of them had another one.
    static func setRanks(
        restingOn source: Evidence.Source, counts: Bool, to chain: ChainID, in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.run(
            """
            UPDATE claims SET rank = CASE WHEN ?6 THEN claimed_rank ELSE rank_without END
            WHERE organisation = ?1 AND realm = ?2 AND original = ?3 AND digest = ?4 AND app = ?5
                AND rank <> CASE WHEN ?6 THEN claimed_rank ELSE rank_without END
            """,
            bindings: chain.bindings + [SQLValue(source.digest), SQLValue(source.app), SQLValue(counts)]) > 0
    }

    /// Forgets old claims of the same user that changed nothing, as this one did: phones repeat theirs at every launch.
    static func forgetOlder(
        like claim: Claim, to chain: ChainID, outcome: ClaimOutcome, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            DELETE FROM claims
            WHERE organisation = ? AND realm = ? AND original = ? AND accepted_at < ? AND user = ? AND rank = ?
                AND outcome = ?
            """,
            bindings: chain.bindings + [
                SQLValue(claim.version.acceptedAt - retention), SQLValue(claim.user), SQLValue(claim.rank),
                SQLValue(outcome),
            ])
    }
}
