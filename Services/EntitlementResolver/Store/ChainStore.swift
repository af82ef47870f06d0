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

    /// What the link was from a revision on; nil: nobody's.
    struct PastLink {
        var revision: Int
        var link: Link?
        /// The message that made it so.
        var cause: MessageID
        var knownAt: Timestamp
    }

    static func chain(_ id: ChainID, in store: borrowing some Reading & ~Copyable) throws -> Chain {
        try store.first(
            "SELECT revision, user, rank, since FROM chains WHERE organisation = ? AND realm = ? AND original = ?",
            bindings: id.bindings
        ) { row in
            let user: AppUserID? = try row.idOrNil(1)
            let link = try user.map { Link(user: $0, rank: try row.rank(2), since: try row.time(3)) }
            return Chain(revision: try row.int(0), link: link)
        } ?? Chain(revision: 0, link: nil)
    }

    static func save(_ chain: Chain, as id: ChainID, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO chains (organisation, realm, original, bucket, revision, user, rank, since)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET revision = excluded.revision, user = excluded.user, rank = excluded.rank,
                since = excluded.since
            """,
            bindings: id.bindings + [
                SQLValue(id.bucket.number), SQLValue(chain.revision), SQLValue(chain.link?.user),
                SQLValue(chain.link?.rank), SQLValue(chain.link?.since),
            ])
    }

    /// Notes what the link is from now on.
    static func remember(_ past: PastLink, of id: ChainID, in transaction: borrowing Transaction) throws {
        let link = past.link ?? Link(user: .nobody, rank: .unverified, since: past.knownAt)
        try transaction.run(
            """
            INSERT INTO link_history (organisation, realm, original, bucket, revision, user, rank, since, cause, known_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            bindings: id.bindings + [
                SQLValue(id.bucket.number), SQLValue(past.revision), SQLValue(link.user), SQLValue(link.rank),
                SQLValue(link.since), SQLValue(past.cause), SQLValue(past.knownAt),
            ])
    }

    /// What the link was, oldest first; of more than `limit` changes the newest.
    static func history(
        of id: ChainID, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [PastLink] {
        try store.all(
            """
            SELECT revision, user, rank, since, cause, known_at FROM link_history
            WHERE organisation = ? AND realm = ? AND original = ? ORDER BY revision DESC LIMIT ?
            """, bindings: id.bindings + [SQLValue(limit)]
        ) { row in
            let user: AppUserID = try row.id(1)
            return PastLink(
                revision: try row.int(0),
                link: user == .nobody ? nil : Link(user: user, rank: try row.rank(2), since: try row.time(3)),
                cause: MessageID(rawValue: try row.text(4)), knownAt: try row.time(5))
        }.reversed()
    }

    /// Whose it was until a message gave it to another; nil: nobody's, or the message did not.
    static func holder(
        of id: ChainID, before cause: MessageID, in store: borrowing some Reading & ~Copyable
    ) throws -> AppUserID? {
        let users = try store.all(
            """
            SELECT before.user, after.user FROM link_history AS after, link_history AS before
            WHERE after.organisation = ?1 AND after.realm = ?2 AND after.original = ?3 AND after.cause = ?4
                AND before.organisation = ?1 AND before.realm = ?2 AND before.original = ?3
                AND before.revision < after.revision ORDER BY before.revision DESC LIMIT 1
            """, bindings: id.bindings + [SQLValue(cause)]
        ) { (before: try $0.id(0) as AppUserID, after: try $0.id(1) as AppUserID) }
        return users.first.flatMap { $0.before == $0.after || $0.before == .nobody ? nil : $0.before }
    }
}
