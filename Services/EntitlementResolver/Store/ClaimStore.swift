internal import Lane
internal import Messages
internal import SQLite

/// All claims to chains, in the order of their versions, each with what it did.
enum ClaimStore {
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
            """, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original),
            SQLValue(version.acceptedAt), SQLValue(version.message))
    }

    /// The version of the newest claim.
    static func newest(to chain: ChainID, in store: borrowing some Reading & ~Copyable) throws -> FactVersion? {
        try store.first(
            """
            SELECT accepted_at, message_id FROM claims WHERE organisation = ? AND realm = ? AND original = ?
            ORDER BY accepted_at DESC, message_id DESC LIMIT 1
            """, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original)
        ) { FactVersion(try $0.time(0), MessageID(rawValue: try $0.text(1))) }
    }

    /// Every claim with its outcome, oldest first.
    static func all(
        to chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> [(claim: Claim, outcome: ClaimOutcome?)] {
        try store.all(
            """
            SELECT accepted_at, message_id, app, user, rank, policy, outcome FROM claims
            WHERE organisation = ? AND realm = ? AND original = ? ORDER BY accepted_at, message_id
            """, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original)
        ) { row in
            let version = FactVersion(try row.time(0), MessageID(rawValue: try row.text(1)))
            return (
                Claim(
                    version: version, app: try row.id(2), user: try row.id(3), rank: try row.rank(4),
                    policy: try row.id(5)),
                ClaimOutcome(rawValue: try row.text(6))
            )
        }
    }

    /// Whether any claim was judged by what the chain's evidence says.
    static func dependsOnEvidence(
        _ chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            """
            SELECT 1 FROM claims WHERE organisation = ? AND realm = ? AND original = ?
            AND outcome IN ('moved_inactive', 'still_active')
            """, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original))
    }

    static func insert(
        _ claim: Claim, to chain: ChainID, outcome: ClaimOutcome, bucket: Bucket,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO claims
                (organisation, realm, original, bucket, accepted_at, message_id, app, user, rank, policy, outcome)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original),
            SQLValue(bucket.number), SQLValue(claim.version.acceptedAt), SQLValue(claim.version.message),
            SQLValue(claim.app), SQLValue(claim.user), SQLValue(claim.rank), SQLValue(claim.policy),
            SQLValue(outcome))
    }

    static func judge(
        _ version: FactVersion, to chain: ChainID, as outcome: ClaimOutcome, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            UPDATE claims SET outcome = ?
            WHERE organisation = ? AND realm = ? AND original = ? AND accepted_at = ? AND message_id = ?
            """, SQLValue(outcome), SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original),
            SQLValue(version.acceptedAt), SQLValue(version.message))
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
            """, SQLValue(chain.organisation), SQLValue(chain.realm), SQLValue(chain.original),
            SQLValue(claim.version.acceptedAt - retention), SQLValue(claim.user), SQLValue(claim.rank),
            SQLValue(outcome))
    }
}
