internal import Erasures
internal import Lane
internal import Messages
internal import SQLite

extension ErasureStore {
    /// Chains that name him in what an erasure takes, up to `limit`.
    static func chains(
        of pending: Pending, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [ChainID] {
        try store.all(
            """
            SELECT DISTINCT organisation, realm, original FROM claims
            WHERE organisation = ? AND user = ? AND accepted_at <= ? LIMIT ?
            """, SQLValue(pending.customer.organisation), SQLValue(pending.customer.user),
            SQLValue(pending.erasure.time), SQLValue(limit)
        ) { try $0.chain(0) }
    }

    /// Puts a placeholder where a chain names him up to the erasure, and notes from when on it is nobody.
    static func forget(_ pending: Pending, in chain: ChainID, in transaction: borrowing Transaction) throws {
        let placeholder = AppUserID.erased(by: pending.erasure.command)
        let (user, time) = (SQLValue(pending.customer.user), SQLValue(pending.erasure.time))
        try note(pending.erasure, in: chain, in: transaction)
        try transaction.run(
            """
            UPDATE claims SET user = ?4
            WHERE organisation = ?1 AND realm = ?2 AND original = ?3 AND user = ?5 AND accepted_at <= ?6
            """, bindings: chain.bindings + [SQLValue(placeholder), user, time])
        try transaction.run(
            """
            UPDATE link_history SET user = ?4
            WHERE organisation = ?1 AND realm = ?2 AND original = ?3 AND user = ?5 AND since <= ?6
            """, bindings: chain.bindings + [SQLValue(placeholder), user, time])
        try transaction.run(
            "DELETE FROM told_links WHERE organisation = ? AND realm = ? AND original = ? AND user = ?",
            bindings: chain.bindings + [user])
    }

    /// Notes that a chain has claims of an erased user.
    static func note(_ erasure: Erasure, in chain: ChainID, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO erased_claimants (organisation, realm, original, command, bucket, erased_at)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            bindings: chain.bindings + [
                SQLValue(erasure.command), SQLValue(chain.bucket.number), SQLValue(erasure.time),
            ])
    }

    /// Of all who claimed a chain and were erased.
    static func erasures(
        in chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> [Link.Erasure] {
        try store.all(
            """
            SELECT erased_at, command FROM erased_claimants WHERE organisation = ? AND realm = ? AND original = ?
            ORDER BY erased_at, command
            """, bindings: chain.bindings
        ) { row in
            Link.Erasure(time: try row.time(0), placeholder: .erased(by: MessageID(rawValue: try row.text(1))))
        }
    }
}
