import Dispatch
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import Synchronization

// The messages of an imaginary business, taken by partitions of entitlement-resolver. Paying in twice shows: no natural
// key catches it, only the inbox does.

/// Pays into an account, or does what its `deed` says.
struct Deposit: Command {
    static let kind: MessageKind = "deposit.v1"
    static let recipient = Workbench.service
    typealias Value = Balance

    enum Deed: String, Codable {
        case pay
        /// Is refused.
        case refuse
        /// Cannot be applied for now, until the clock has passed ``Deposit/until``.
        case wait
        /// The same, and by then it is too late for what was accepted before.
        case expire
        /// Can never be applied.
        case fault
        /// Throws what the lane has never heard of.
        case throwUnknown
        /// Violates a constraint of the store.
        case violate
        /// Publishes as many events as `amount` says.
        case announce
        /// Sends a command that no queue is bound for.
        case sendNowhere
        /// Holds the writer until the workbench's gate is opened.
        case hold
        /// Ends the process.
        case crash
        /// Stores as many kilobytes as `amount` says.
        case fill
    }

    var account: String
    var amount = 1
    var deed = Deed.pay
    var until: Timestamp?
    var key: String { account }
}

/// As ``Deposit``, but for its kind.
struct Gift: Command {
    static let kind: MessageKind = "gift.v1"
    static let recipient = Workbench.service
    var account: String
    var amount = 1
    var deed = Deposit.Deed.pay
    var key: String { account }
}

struct Balance: Codable, Hashable {
    var total: Int
}

struct Deposited: Event {
    static let kind: MessageKind = "deposited.v1"
    static let owner = Workbench.service
    static let subscribers: [ServiceName] = []
    var account: String
    var number: Int
    var key: String { account }
}

/// To a service that has no queue on the workbench.
struct Nowhere: Command {
    static let kind: MessageKind = "nowhere.v1"
    static let recipient = ServiceName(rawValue: "nowhere")
    var account: String
    var key: String { account }
}

/// Takes out, if there is enough.
struct Withdraw: Request {
    static let kind: MessageKind = "withdraw.v1"
    static let recipient = Workbench.service
    typealias Value = Balance
    var account: String
    var amount: Int
    var key: String { account }
}

/// Opens an account, unless it is there.
struct AccountOpen: Request {
    static let kind: MessageKind = "account.open.v1"
    static let recipient = Workbench.service
    static let authors: [BrokerUser]? = [.load]
    typealias Value = Balance
    var account: String
    /// The look whether it is there ends in an error.
    var isLookFailing = false
    var key: String { account }
}

struct BalanceGet: Query {
    static let kind: MessageKind = "balance.get.v1"
    static let recipient = Workbench.service
    typealias Value = Balance
    var account: String
    var key: String { account }
}

/// Lengthy: stays in work until the workbench's gate is opened.
struct Held: Query {
    static let kind: MessageKind = "held.v1"
    static let recipient = Workbench.service
    typealias Value = Balance
    var account: String
    var key: String { account }
}

/// Never comes to an end by itself, and is known for it.
struct Endless: Query {
    static let kind: MessageKind = "endless.v1"
    static let recipient = Workbench.service
    typealias Value = Balance
    var account: String
    var key: String { account }
}

/// As ``Endless``, but nobody knows.
struct Unforeseen: Query {
    static let kind: MessageKind = "unforeseen.v1"
    static let recipient = Workbench.service
    typealias Value = Balance
    var account: String
    var key: String { account }
}

/// As ``BalanceGet``, for the operator alone.
struct BalanceAudit: Query {
    static let kind: MessageKind = "balance.audit.v1"
    static let recipient = Workbench.service
    static let authors: [BrokerUser]? = [.operatorTool]
    typealias Value = Balance
    var account: String
    var key: String { account }
}

let depositSchema = MigrationSequence(
    name: "deposits",
    migrations: [
        Migration(
            1, "accounts",
            """
            CREATE TABLE accounts (
                account TEXT PRIMARY KEY, bucket INTEGER NOT NULL, total INTEGER NOT NULL CHECK (total >= 0));
            -- What handlers were told of each message.
            CREATE TABLE contexts (
                number INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL,
                author TEXT, accepted_at INTEGER NOT NULL);
            CREATE TABLE fillings (number INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, content BLOB NOT NULL);
            CREATE TABLE alarms (number INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, due INTEGER NOT NULL);
            """)
    ])

extension Transaction {
    /// Adds to an account.
    ///
    /// - Returns: what is in it then.
    borrowing func pay(_ amount: Int, into account: String, _ bucket: Bucket) throws -> Int {
        try run(
            """
            INSERT INTO accounts (account, bucket, total) VALUES (?1, ?2, max(0, ?3))
            ON CONFLICT DO UPDATE SET total = total + ?3
            """, .text(account), SQLValue(bucket.number), SQLValue(amount))
        return try first("SELECT total FROM accounts WHERE account = ?", .text(account)) { try $0.int(0) } ?? 0
    }

    borrowing func note(_ context: MessageContext) throws {
        try run(
            "INSERT INTO contexts (bucket, id, kind, author, accepted_at) VALUES (?, ?, ?, ?, ?)",
            SQLValue(context.bucket.number), .text(context.id.rawValue), .text(context.kind.rawValue),
            SQLValue(context.author), .integer(context.acceptedAt.millisecondsSince1970))
    }
}

struct TakeDeposit: MessageHandler {
    let gate: Gate
    let memory: Memory

    func committed(_ deposit: Deposit) { memory.keep(deposit.account) }

    func apply(
        _ deposit: Deposit, _ context: MessageContext, in transaction: borrowing Transaction, outgoing: inout Outgoing
    ) throws -> Verdict<Balance> {
        // Stored before it may go wrong, so that it shows when it is not undone.
        let total = try transaction.pay(deposit.amount, into: deposit.account, context.bucket)
        try transaction.note(context)
        switch deposit.deed {
        case .pay: break
        case .refuse: return .refused(Refusal("not_wanted", "No, thank you"))
        case .wait, .expire:
            guard let until = deposit.until, context.now >= until else {
                throw MessageFault.forNow("too_early", "Not before its time")
            }
            if deposit.deed == .expire, context.acceptedAt < until { return .overtaken(Balance(total: 0)) }
        case .fault: throw MessageFault.forever("hopeless", "Never")
        case .throwUnknown: throw Objection()
        case .violate: _ = try transaction.pay(-1_000_000, into: deposit.account, context.bucket)
        case .announce:
            for number in 0..<deposit.amount {
                try outgoing.publish(Deposited(account: deposit.account, number: number))
            }
        case .sendNowhere: try outgoing.send(Nowhere(account: deposit.account))
        case .hold: gate.pass()
        case .crash: exit(66)
        case .fill:
            try transaction.run(
                "INSERT INTO fillings (bucket, content) VALUES (?, zeroblob(?))", SQLValue(context.bucket.number),
                SQLValue(deposit.amount << 10))
        }
        return .applied(Balance(total: total))
    }
}

struct TakeGift: MessageHandler {
    func apply(
        _ gift: Gift, _ context: MessageContext, in transaction: borrowing Transaction, outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        _ = try transaction.pay(gift.amount, into: gift.account, context.bucket)
        return .applied
    }
}

/// What a handler throws that the lane has never heard of.
struct Objection: Error {}

struct TakeWithdrawal: MessageHandler {
    func apply(
        _ request: Withdraw, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Balance> {
        let total = try transaction.first(
            "SELECT total FROM accounts WHERE account = ?", .text(request.account)
        ) { try $0.int(0) }
        guard let total, total >= request.amount else { return .refused(Refusal("too_little", "Not enough")) }
        try outgoing.publish(Deposited(account: request.account, number: -request.amount))
        return .applied(
            Balance(total: try transaction.pay(-request.amount, into: request.account, context.bucket)))
    }
}

struct OpenAccount: SettlingHandler {
    func settled(_ request: AccountOpen, _ context: MessageContext, in snapshot: borrowing Snapshot) throws
        -> Verdict<Balance>?
    {
        if request.isLookFailing { throw Objection() }
        return try total(of: request.account, in: snapshot).map { .applied(Balance(total: $0)) }
    }

    func apply(
        _ request: AccountOpen, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Balance> {
        if let total = try total(of: request.account, in: transaction) { return .applied(Balance(total: total)) }
        try outgoing.publish(Deposited(account: request.account, number: 0))
        return .applied(Balance(total: try transaction.pay(0, into: request.account, context.bucket)))
    }

    private func total(of account: String, in store: borrowing some Reading & ~Copyable) throws -> Int? {
        try store.first("SELECT total FROM accounts WHERE account = ?", .text(account)) { try $0.int(0) }
    }
}

/// Takes an event of another service down.
struct NoteTransaction: MessageHandler {
    func apply(
        _ event: TransactionVerified, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try transaction.note(context)
        return .applied
    }
}

/// Takes a configuration event down.
struct NoteApp: MessageHandler {
    func apply(
        _ event: AppChanged, _ context: MessageContext, in transaction: borrowing Transaction, outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try transaction.note(context)
        return .applied
    }
}

struct AnswerBalance<Body: Query>: QueryHandler where Body.Value == Balance {
    let account: @Sendable (Body) -> String

    func answer(_ query: Body, in snapshot: borrowing Snapshot) throws -> Verdict<Balance> {
        let total = try snapshot.first("SELECT total FROM accounts WHERE account = ?", .text(account(query))) {
            try $0.int(0)
        }
        guard let total else { return .refused(Refusal("account_unknown", "No such account")) }
        return .applied(Balance(total: total))
    }
}

struct WaitAtGate: QueryHandler {
    static let isLengthy = true
    let gate: Gate

    func answer(_ query: Held, in snapshot: borrowing Snapshot) throws -> Verdict<Balance> {
        gate.pass()
        return .applied(Balance(total: 0))
    }
}

struct CountEndlessly: QueryHandler {
    static let isLengthy = true

    func answer(_ query: Endless, in snapshot: borrowing Snapshot) throws -> Verdict<Balance> {
        .applied(Balance(total: try snapshot.countEndlessly()))
    }
}

struct CountUnforeseen: QueryHandler {
    func answer(_ query: Unforeseen, in snapshot: borrowing Snapshot) throws -> Verdict<Balance> {
        .applied(Balance(total: try snapshot.countEndlessly()))
    }
}

extension Snapshot {
    fileprivate borrowing func countEndlessly() throws -> Int {
        try first("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n") {
            try $0.int(0)
        } ?? 0
    }
}

/// Announces what is due in the table `alarms`.
struct RingTable: Alarm {
    let name = "table"

    func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try snapshot.first("SELECT due FROM alarms ORDER BY due LIMIT 1") { Timestamp(clamping: try $0.int64(0)) }
    }

    func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        let due = try transaction.all(
            "SELECT number FROM alarms WHERE due <= ? ORDER BY due", .integer(now.millisecondsSince1970)
        ) { try $0.int(0) }
        // Rung without a reason: that has to show.
        if due.isEmpty { try outgoing.publish(Deposited(account: "alarm", number: -1)) }
        for number in due { try outgoing.publish(Deposited(account: "alarm", number: number)) }
        try transaction.run("DELETE FROM alarms WHERE due <= ?", .integer(now.millisecondsSince1970))
    }
}

/// Stands for what a service keeps beside its store: caches, projections.
final class Memory: Sendable {
    private let content = Mutex<[String]>([])

    var accounts: [String] { content.withLock { $0 } }

    func keep(_ account: String) { content.withLock { $0.append(account) } }
}

/// Holds the thread of whoever passes until a test opens it.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let (stream, arrived) = AsyncStream.makeStream(of: Void.self)

    /// Blocks the thread.
    func pass() {
        arrived.yield()
        semaphore.wait()
    }

    /// Returns when somebody has come to the gate.
    func waitForArrival() async {
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
    }

    /// Lets one pass.
    func open() { semaphore.signal() }
}
