internal import Lane
internal import Messages
internal import SQLite

/// Claims that took a chain from somebody, or would have, by time.
enum ContestStore {
    /// The next ones from behind `version`, up to `limit`.
    static func page(
        after version: FactVersion, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [(chain: ChainID, kept: ClaimStore.Kept)] {
        try store.all(
            """
            SELECT organisation, realm, original, accepted_at, message_id, app, user, rank, policy, digest, claimed_rank,
                rank_without, outcome, known_at
            FROM claims WHERE (accepted_at, message_id) > (?, ?)
                AND outcome NOT IN ('established', 'raised', 'repeated', 'unpinned')
            ORDER BY accepted_at, message_id LIMIT ?
            """, SQLValue(version.acceptedAt), SQLValue(version.message), SQLValue(limit)
        ) { (try $0.chain(0), try ClaimStore.kept($0, from: 3)) }
    }
}
