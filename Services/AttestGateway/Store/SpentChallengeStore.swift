internal import Lane
internal import Messages
internal import SQLite

/// The challenges that are spent, until they would have expired anyway and nobody asks for their outcome again.
enum SpentChallengeStore {
    /// How the challenge was spent, if it was.
    static func spent(
        _ use: ChallengeUse, in store: borrowing some Reading & ~Copyable
    ) throws -> ChallengeUse.Spent? {
        try store.first(
            "SELECT request, spent_at, outcome FROM spent_challenges WHERE challenge = ?", .blob(use.challenge)
        ) { ChallengeUse.Spent(request: try $0.blob(0), at: try $0.time(1), outcome: try $0.blob(2)) }
    }

    /// Spends a challenge that is good.
    static func spend(
        _ use: ChallengeUse, outcome: [UInt8], bucket: Bucket, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO spent_challenges (challenge, bucket, request, spent_at, forgotten_at, outcome)
            VALUES (?, ?, ?, ?, ?, ?)
            """, .blob(use.challenge), SQLValue(bucket.number), .blob(use.request), SQLValue(use.at),
            SQLValue(use.forgottenAt), .blob(outcome))
    }

    /// When there is something to forget; nil: nothing is known.
    static func nextForgotten(in store: borrowing some Reading & ~Copyable) throws -> Timestamp? {
        try store.first("SELECT MIN(forgotten_at) FROM spent_challenges") { try $0.timeOrNil(0) } ?? nil
    }

    /// Forgets up to `limit` that nobody asks for any more, the oldest first.
    static func forget(before now: Timestamp, limit: Int, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            DELETE FROM spent_challenges WHERE challenge IN (
                SELECT challenge FROM spent_challenges WHERE forgotten_at <= ? ORDER BY forgotten_at LIMIT ?)
            """, SQLValue(now), SQLValue(limit))
    }
}
