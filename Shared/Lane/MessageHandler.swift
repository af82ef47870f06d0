public import Messages
public import SQLite

/// Applies one kind of message.
///
/// The lane calls `prepare` in parallel and outside any transaction, then `apply` within the transaction of the batch,
/// in a savepoint of its own, then `committed`. A message may be prepared and applied more than once (a batch that was
/// rolled back, a crash before the commit), and what `apply` stores must be the same when it has been applied already:
/// the inbox is pruned, a natural key is not.
public protocol MessageHandler: Sendable {
    /// The message.
    associatedtype Body: Message
    /// What `prepare` makes of it.
    associatedtype Prepared: Sendable = Body
    /// What the answer carries, for whoever asked for one.
    associatedtype Value: Codable & Sendable = Nothing

    /// Pure work: decode further, verify. No store, no clock, no side effect.
    ///
    /// - Throws: ``MessageFault`` where no verdict can be reached.
    func prepare(_ message: Body, _ context: MessageContext) throws -> Prepared

    /// Stores the effect, and says in `outgoing` what follows from it.
    ///
    /// - Throws: ``MessageFault`` where no verdict can be reached; what it has stored is rolled back.
    func apply(
        _ prepared: Prepared, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Value>

    /// Called once the effect is on disk: fills caches.
    func committed(_ prepared: Prepared)
}

extension MessageHandler {
    /// Nothing to fill.
    public func committed(_ prepared: Prepared) {}
}

extension MessageHandler where Prepared == Body {
    /// Nothing to prepare.
    public func prepare(_ message: Body, _ context: MessageContext) throws -> Body { message }
}

/// A handler of requests that often have nothing to write: those are answered from a reader connection, without a commit.
public protocol SettlingHandler: MessageHandler where Body: Request {
    /// What ``MessageHandler/apply(_:_:in:outgoing:)`` would answer, where it would store and publish nothing; nil: it has
    /// to be applied.
    ///
    /// The snapshot is as of the last commit, so whatever was answered before is in it; what is being committed beside it
    /// counts as later. An error is no answer either: the message is applied, and fails there if it has to.
    func settled(_ prepared: Prepared, _ context: MessageContext, in snapshot: borrowing Snapshot) throws
        -> Verdict<Value>?
}

/// What became of a message that was understood.
public enum Verdict<Value: Sendable>: Sendable {
    /// Its effect is stored.
    case applied(Value)
    /// As applied, but what it says is older than what is known, and so it changes nothing that anybody sees.
    case overtaken(Value)
    /// The answer is no; that is stored too.
    case refused(Refusal)
}

extension Verdict where Value == Nothing {
    /// Its effect is stored, and there is nothing to tell.
    public static var applied: Verdict { .applied(Nothing()) }
    /// Something newer is known, and there is nothing to tell.
    public static var overtaken: Verdict { .overtaken(Nothing()) }
}

/// Answers one kind of query from a reader connection.
public protocol QueryHandler: Sendable {
    /// The query.
    associatedtype Body: Query

    /// Whether an answer may take more than some milliseconds: such queries are answered one after the other, beside the
    /// others.
    static var isLengthy: Bool { get }

    /// Looks; changes nothing.
    ///
    /// Stopped by `ReadOverdue`, thrown by what it reads, when whoever asked waits no longer.
    func answer(_ query: Body, in snapshot: borrowing Snapshot) throws -> Verdict<Body.Value>
}

extension QueryHandler {
    /// Unless told otherwise it does not.
    public static var isLengthy: Bool { false }
}

/// Work that is due because time passes, e.g. an expiry.
public protocol Alarm: Sendable {
    /// Stable; part of the ids of what follows from it.
    var name: String { get }

    /// When there is something to do; nil: not as things stand.
    func next(in snapshot: borrowing Snapshot) throws -> Timestamp?

    /// Does up to a few hundred things that are due by `now`; it is called again while ``next(in:)`` says so.
    func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws
}
