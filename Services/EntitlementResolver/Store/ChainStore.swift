internal import Lane
internal import Messages
internal import SQLite

/// Chains with their links, and what the links were.
enum ChainStore {
    /// A chain as it is kept; revision 0 and no link when nothing is.
    struct Chain {
        var revision: Int
        var link: Link?
    }

    static func chain(_ id: ChainID, in store: borrowing some Reading & ~Copyable) throws -> Chain {
        try store.first(
            "SELECT revision, user, rank, since FROM chains WHERE organisation = ? AND realm = ? AND original = ?",
            SQLValue(id.organisation), SQLValue(id.realm), SQLValue(id.original)
        ) { row in
            let user: AppUserID? = try row.idOrNil(1)
            let link = try user.map { Link(user: $0, rank: try row.rank(2), since: try row.time(3)) }
            return Chain(revision: try row.int(0), link: link)
        } ?? Chain(revision: 0, link: nil)
    }

    static func save(
        _ chain: Chain, as id: ChainID, bucket: Bucket, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO chains (organisation, realm, original, bucket, revision, user, rank, since)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, user = excluded.user, rank = excluded.rank,
                since = excluded.since
            """, SQLValue(id.organisation), SQLValue(id.realm), SQLValue(id.original), SQLValue(bucket.number),
            SQLValue(chain.revision), SQLValue(chain.link?.user), SQLValue(chain.link?.rank),
            SQLValue(chain.link?.since))
    }

    /// Notes what the link is from `revision` on.
    static func remember(
        _ link: Link, of id: ChainID, revision: Int, cause: MessageID, knownAt: Timestamp, bucket: Bucket,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO link_history (organisation, realm, original, bucket, revision, user, rank, since, cause, known_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, SQLValue(id.organisation), SQLValue(id.realm), SQLValue(id.original), SQLValue(bucket.number),
            SQLValue(revision), SQLValue(link.user), SQLValue(link.rank), SQLValue(link.since), SQLValue(cause),
            SQLValue(knownAt))
    }
}
