internal import Lane
internal import Messages
internal import SQLite

/// What users were told of chains last, and under which revision: it is told again as it stands here.
enum ToldLinkStore {
    /// What one user was told of one chain.
    struct Told {
        /// Its place among all that the partition has told.
        var number: Int64
        var chain: ChainID
        var user: AppUserID
        var standing: Standing
        var revision: Int
    }

    static func standing(
        of user: AppUserID, to chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> Standing? {
        try store.first(
            """
            SELECT is_held, rank, since, reason FROM told_links
            WHERE organisation = ? AND realm = ? AND original = ? AND user = ?
            """, bindings: chain.bindings + [SQLValue(user)]
        ) { try standing($0, from: 0) }
    }

    /// All that was told of a chain.
    static func standings(
        to chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> [AppUserID: Standing] {
        var standings: [AppUserID: Standing] = [:]
        try store.forEach(
            """
            SELECT is_held, rank, since, reason, user FROM told_links
            WHERE organisation = ? AND realm = ? AND original = ?
            """, bindings: chain.bindings
        ) { standings[try $0.id(4)] = try standing($0, from: 0) }
        return standings
    }

    static func record(
        _ standing: Standing, of user: AppUserID, to chain: ChainID, revision: Int,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO told_links
                (organisation, realm, original, user, bucket, is_held, rank, since, reason, revision)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET is_held = excluded.is_held, rank = excluded.rank, since = excluded.since,
                reason = excluded.reason, revision = excluded.revision
            """,
            bindings: chain.bindings + [
                SQLValue(user), SQLValue(chain.bucket.number), SQLValue(standing.isHeld), SQLValue(standing.rank),
                SQLValue(standing.since), SQLValue(standing.reason), SQLValue(revision),
            ])
    }

    /// Under which revision each environment of a chain was told to its holder last.
    static func revisions(
        of chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> [StoreEnvironment: Int] {
        var revisions: [StoreEnvironment: Int] = [:]
        try store.forEach(
            """
            SELECT environment, revision FROM told_subscriptions
            WHERE organisation = ? AND realm = ? AND original = ?
            """, bindings: chain.bindings
        ) { revisions[try $0.id(0)] = try $0.int(1) }
        return revisions
    }

    static func record(
        _ environment: StoreEnvironment, of chain: ChainID, revision: Int, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            REPLACE INTO told_subscriptions (organisation, realm, original, environment, bucket, revision)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            bindings: chain.bindings + [
                SQLValue(environment), SQLValue(chain.bucket.number), SQLValue(revision),
            ])
    }

    /// The next `limit` of all that was told, from behind `number`.
    static func page(
        after number: Int64, through last: Int64 = .max, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [Told] {
        try store.all(
            """
            SELECT number, organisation, realm, original, user, is_held, rank, since, reason, revision FROM told_links
            WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
            """, SQLValue(number), SQLValue(last), SQLValue(limit)
        ) { try told($0) }
    }

    /// The next `limit` of all that was told of one chain, from behind `number`.
    static func page(
        of chain: ChainID, after number: Int64, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [Told] {
        try store.all(
            """
            SELECT number, organisation, realm, original, user, is_held, rank, since, reason, revision FROM told_links
            WHERE organisation = ? AND realm = ? AND original = ? AND number > ? ORDER BY number LIMIT ?
            """, bindings: chain.bindings + [SQLValue(number), SQLValue(limit)]
        ) { try told($0) }
    }

    /// The greatest number in use; 0 for none.
    static func greatestNumber(in store: borrowing some Reading & ~Copyable) throws -> Int64 {
        try store.first("SELECT IFNULL(MAX(number), 0) FROM told_links") { try $0.int64(0) } ?? 0
    }

    private static func told(_ row: borrowing Row) throws -> Told {
        Told(
            number: try row.int64(0), chain: try row.chain(1), user: try row.id(4),
            standing: try standing(row, from: 5), revision: try row.int(9))
    }

    private static func standing(_ row: borrowing Row, from column: Int) throws -> Standing {
        Standing(
            isHeld: try row.bool(column), rank: try row.rank(column + 1), since: try row.time(column + 2),
            reason: try row.idOrNil(column + 3))
    }
}
