public import Messages

/// One message on its way out.
public struct Publication: Sendable, Hashable {
    /// Where to.
    public var route: Route
    /// What.
    public var envelope: Envelope
    /// Whether it has to reach a queue: then it comes back ``PublishOutcome/returned`` where there is none.
    public var isMandatory: Bool

    /// - Parameter isMandatory: true for commands, requests and queries; false for events, which may have no subscriber.
    public init(_ envelope: Envelope, to route: Route, isMandatory: Bool) {
        self.envelope = envelope
        self.route = route
        self.isMandatory = isMandatory
    }
}

/// What became of a publication.
public enum PublishOutcome: Sendable, Hashable {
    /// The broker has it: stored, in a queue if it was mandatory.
    case confirmed
    /// No queue is bound for it; the broker has thrown it away.
    case returned
    /// The broker refused to take it (a nack).
    case refused
    /// It was not sent: no connection, the broker has blocked publishers, or the deadline passed before.
    case notSent(NotSent)
    /// It was sent, and the connection died or the deadline passed before the broker answered. It may have arrived:
    /// its owner publishes it again under the same id.
    case unknown

    /// Why nothing was sent.
    public enum NotSent: String, Sendable, Hashable {
        /// There is no connection.
        case disconnected
        /// The broker is short of memory or disk and takes nothing (`connection.blocked`).
        case blocked
        /// Too much is waiting already.
        case overloaded
        /// The deadline passed.
        case deadline
        /// The message cannot be put into frames: a property is too long.
        case unsendable
    }
}

/// Publishes, with the broker's confirmation.
public protocol Publisher: Sendable {
    /// Publishes `publications` in order, pipelined, and waits for the fate of each, in the same order.
    ///
    /// - Parameter deadline: when it passes, what has no answer is ``PublishOutcome/unknown`` or
    ///   ``PublishOutcome/notSent(_:)``; the call returns, whatever the broker does.
    func publish(_ publications: [Publication], deadline: ContinuousClock.Instant) async -> [PublishOutcome]

    /// Sends without confirmation, and forgets it where it cannot be sent at once: replies.
    func send(_ publications: [Publication]) async
}

extension Publisher {
    /// Publishes one message.
    public func publish(_ publication: Publication, deadline: ContinuousClock.Instant) async -> PublishOutcome {
        await publish([publication], deadline: deadline).first ?? .notSent(.disconnected)
    }
}
