internal import Crypto
internal import Lane
public import Messages
public import SQLite

/// Who was erased, and up to when: kept under a digest for ever, so that what is from before and comes late is known for
/// what it is.
///
/// Its table belongs to the service: `erasures (organisation, user_digest, erased_at, command, user, PRIMARY KEY
/// (organisation, user_digest, erased_at))`. The user's name stays until all has been forgotten that names him.
public enum ErasureStore {
    /// One erasure of one user.
    public struct Erasure: Hashable, Sendable {
        /// What is from then or before is taken.
        public var time: Timestamp
        /// By which it was asked for.
        public var command: MessageID

        /// By a command, of all up to `time`.
        public init(time: Timestamp, command: MessageID) {
            self.time = time
            self.command = command
        }
    }

    /// An erasure after which there is still something to be forgotten.
    public struct Pending: Sendable {
        /// Whom to forget.
        public var customer: Customer
        /// And up to when.
        public var erasure: Erasure
    }

    /// The erasure that took what is from `time`; nil: none did.
    public static func erasure(
        of customer: Customer, covering time: Timestamp, in store: borrowing some Reading & ~Copyable
    ) throws -> Erasure? {
        try store.first(
            """
            SELECT erased_at, command FROM erasures WHERE organisation = ? AND user_digest = ? AND erased_at >= ?
            ORDER BY erased_at LIMIT 1
            """, SQLValue(customer.organisation), .blob(digest(of: customer)), SQLValue(time)
        ) { Erasure(time: try $0.time(0), command: MessageID(rawValue: try $0.text(1))) }
    }

    /// Whether an erasure took what is from `time`.
    public static func covers(
        _ time: Timestamp, of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool { try erasure(of: customer, covering: time, in: store) != nil }

    /// The newest erasure of a user, and whether something is still to be forgotten.
    public static func newest(
        of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> (time: Timestamp, isPending: Bool)? {
        try store.first(
            "SELECT MAX(erased_at), COUNT(user) FROM erasures WHERE organisation = ? AND user_digest = ?",
            SQLValue(customer.organisation), .blob(digest(of: customer))
        ) { row in try row.timeOrNil(0).map { ($0, try row.int(1) > 0) } } ?? nil
    }

    /// Up to when a command has erased a user; nil: it has not.
    public static func time(
        of command: MessageID, of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> Timestamp? {
        try store.first(
            "SELECT erased_at FROM erasures WHERE organisation = ? AND user_digest = ? AND command = ?",
            SQLValue(customer.organisation), .blob(digest(of: customer)), SQLValue(command)
        ) { try $0.time(0) }
    }

    /// Notes an erasure, to be followed by ``next(in:)``; one that is there already stays as it is.
    public static func record(
        _ erasure: Erasure, of customer: Customer, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO erasures (organisation, user_digest, erased_at, command, user) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, SQLValue(customer.organisation), .blob(digest(of: customer)), SQLValue(erasure.time),
            SQLValue(erasure.command), SQLValue(customer.user))
    }

    /// The oldest after which there is still something to be forgotten.
    public static func next(in store: borrowing some Reading & ~Copyable) throws -> Pending? {
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

    /// All is forgotten: what is left is a digest.
    public static func finish(_ pending: Pending, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "UPDATE erasures SET user = NULL WHERE organisation = ? AND user_digest = ? AND erased_at = ?",
            SQLValue(pending.customer.organisation), .blob(digest(of: pending.customer)),
            SQLValue(pending.erasure.time))
    }

    private static func digest(of customer: Customer) -> [UInt8] {
        Digest.sha256(Key.user(customer.organisation, customer.user).utf8)
    }
}
