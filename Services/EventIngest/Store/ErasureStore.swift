internal import Crypto
internal import Lane
internal import Messages
internal import SQLite

/// Who was erased, and up to when: kept under a digest for ever, so that what was accepted before and comes late is known
/// for what it is.
enum ErasureStore {
    /// An erasure that the rows of this partition have still to follow.
    struct Pending {
        var customer: Customer
        var erasedAt: Timestamp
    }

    /// Whether an erasure took what was accepted at `time`.
    static func covers(
        _ time: Timestamp, of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            "SELECT 1 FROM erasures WHERE organisation = ? AND user_digest = ? AND erased_at >= ?",
            SQLValue(customer.organisation), .blob(digest(of: customer)), SQLValue(time))
    }

    /// The newest erasure of a user, and whether it is still to be followed.
    static func newest(
        of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> (time: Timestamp, isPending: Bool)? {
        try store.first(
            "SELECT MAX(erased_at), COUNT(user) FROM erasures WHERE organisation = ? AND user_digest = ?",
            SQLValue(customer.organisation), .blob(digest(of: customer))
        ) { row in try row.timeOrNil(0).map { ($0, try row.int(1) > 0) } } ?? nil
    }

    /// Notes an erasure, to be followed by ``next(in:)``; one that is there already stays as it is.
    static func record(_ erased: UserErased, in transaction: borrowing Transaction) throws {
        let customer = Customer(erased.organisation, erased.user)
        try transaction.run(
            """
            INSERT INTO erasures (organisation, user_digest, erased_at, command, user) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, SQLValue(erased.organisation), .blob(digest(of: customer)), SQLValue(erased.erasedAt),
            SQLValue(erased.erasure), SQLValue(erased.user))
    }

    /// The oldest that is still to be followed.
    static func next(in store: borrowing some Reading & ~Copyable) throws -> Pending? {
        try store.first(
            "SELECT organisation, user, erased_at FROM erasures WHERE user IS NOT NULL ORDER BY erased_at LIMIT 1"
        ) { Pending(customer: Customer(try $0.id(0), try $0.id(1)), erasedAt: try $0.time(2)) }
    }

    /// All rows have followed it: what is left is a digest.
    static func finish(_ pending: Pending, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "UPDATE erasures SET user = NULL WHERE organisation = ? AND user_digest = ? AND erased_at = ?",
            SQLValue(pending.customer.organisation), .blob(digest(of: pending.customer)), SQLValue(pending.erasedAt))
    }

    private static func digest(of customer: Customer) -> [UInt8] {
        Digest.sha256(Key.user(customer.organisation, customer.user).utf8)
    }
}
