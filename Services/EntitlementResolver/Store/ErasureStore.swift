internal import Crypto
internal import Lane
internal import Messages
internal import SQLite

/// Who was erased, and up to when: kept under a digest for ever, so that what was accepted before and comes late is known
/// for what it is.
enum ErasureStore {
    /// One erasure of one user.
    struct Erasure: Hashable {
        var time: Timestamp
        var command: MessageID
    }

    /// An erasure that the chains of this partition have still to follow.
    struct Pending {
        var customer: Customer
        var erasure: Erasure
    }

    /// The erasure that took what was accepted at `time`; nil: none did.
    static func erasure(
        of customer: Customer, covering time: Timestamp, in store: borrowing some Reading & ~Copyable
    ) throws -> Erasure? {
        try store.first(
            """
            SELECT erased_at, command FROM erasures WHERE organisation = ? AND user_digest = ? AND erased_at >= ?
            ORDER BY erased_at LIMIT 1
            """, SQLValue(customer.organisation), .blob(digest(of: customer)), SQLValue(time)
        ) { Erasure(time: try $0.time(0), command: MessageID(rawValue: try $0.text(1))) }
    }

    /// Whether an erasure took what was accepted at `time`.
    static func covers(
        _ time: Timestamp, of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool { try erasure(of: customer, covering: time, in: store) != nil }

    /// The newest erasure of a user, and whether it is still to be followed.
    static func newest(
        of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> (time: Timestamp, isPending: Bool)? {
        try store.first(
            """
            SELECT MAX(erased_at), COUNT(user) FROM erasures WHERE organisation = ? AND user_digest = ?
            """, SQLValue(customer.organisation), .blob(digest(of: customer))
        ) { row in try row.timeOrNil(0).map { ($0, try row.int(1) > 0) } } ?? nil
    }

    /// Up to when a command has erased a user; nil: it has not.
    static func time(
        of command: MessageID, of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> Timestamp? {
        try store.first(
            "SELECT erased_at FROM erasures WHERE organisation = ? AND user_digest = ? AND command = ?",
            SQLValue(customer.organisation), .blob(digest(of: customer)), SQLValue(command)
        ) { try $0.time(0) }
    }

    /// Notes an erasure, to be followed by ``next(in:)``; one that is there already stays as it is.
    static func record(
        _ erasure: Erasure, of customer: Customer, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO erasures (organisation, user_digest, erased_at, command, user) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, SQLValue(customer.organisation), .blob(digest(of: customer)), SQLValue(erasure.time),
            SQLValue(erasure.command), SQLValue(customer.user))
    }

    /// The oldest that is still to be followed.
    static func next(in store: borrowing some Reading & ~Copyable) throws -> Pending? {
        try store.first(
            """
            SELECT organisation, user, erased_at, command FROM erasures WHERE user IS NOT NULL
            ORDER BY erased_at LIMIT 1
            """
        ) { row in
            Pending(
                customer: Customer(try row.id(0), try row.id(1)),
                erasure: Erasure(time: try row.time(2), command: MessageID(rawValue: try row.text(3))))
        }
    }

    /// All chains have followed it: what is left is a digest.
    static func finish(_ pending: Pending, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "UPDATE erasures SET user = NULL WHERE organisation = ? AND user_digest = ? AND erased_at = ?",
            SQLValue(pending.customer.organisation), .blob(digest(of: pending.customer)),
            SQLValue(pending.erasure.time))
    }

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

    private static func digest(of customer: Customer) -> [UInt8] {
        Digest.sha256(Key.user(customer.organisation, customer.user).utf8)
    }
}
