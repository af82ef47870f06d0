public import Messages

/// A broker, as the parts of a service see it.
public protocol Broker: Sendable {
    /// Opens a connection for consuming.
    ///
    /// - Parameter name: shown in the broker's management pages.
    func openSession(named name: String) async throws(BrokerError) -> any BrokerSession

    /// The publisher of this process.
    var publisher: any Publisher { get }
}

/// A connection on which queues are consumed. Its exclusive queues vanish with it.
public protocol BrokerSession: Sendable {
    /// Declares a transient queue that this connection alone may use, and binds it.
    ///
    /// - Throws: ``BrokerError/ownedElsewhere(queue:)`` while another connection has it.
    func declareExclusive(queue: String, bindings: [Binding]) async throws(BrokerError)

    /// Declares exchanges, queues and bindings as the topology wants them.
    ///
    /// - Throws: ``BrokerError/differs(_:)`` where the broker has one of them with other arguments.
    func declare(_ topology: Topology) async throws(BrokerError)

    /// Consumes `queue`, with up to `prefetch` deliveries unsettled.
    func subscribe(to queue: String, prefetch: Int) async throws(BrokerError) -> any Subscription

    /// How many messages are ready in `queue` at this moment. What is delivered and not settled is not among them.
    ///
    /// - Throws: ``BrokerError/missing(_:)`` where there is no such queue.
    func ready(in queue: String) async throws(BrokerError) -> Int

    /// Closes the connection in order.
    func close() async
}

/// What can go wrong with a broker.
public enum BrokerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The connection could not be made, or died.
    case disconnected(String)
    /// The broker does not know the login, or it may not do this. Trying again does not help.
    case notAllowed(String)
    /// Another connection has this exclusive queue.
    case ownedElsewhere(queue: String)
    /// The broker has a queue or an exchange with other arguments; the text names it, the argument and what to do.
    case differs(String)
    /// A queue or an exchange is not there.
    case missing(String)
    /// It took too long.
    case deadline(String)
    /// The broker answered something that is not of the protocol, or that we cannot read.
    case unexpected(String)

    /// What happened, to what.
    public var description: String {
        switch self {
        case .disconnected(let text): "No connection to the broker: \(text)"
        case .notAllowed(let text): "The broker does not allow it: \(text)"
        case .ownedElsewhere(let queue): "Another process has \(queue)"
        case .differs(let text): "The broker has it otherwise: \(text)"
        case .missing(let text): "The broker does not have it: \(text). `tollgate topology apply` declares everything"
        case .deadline(let text): "The broker did not answer in time: \(text)"
        case .unexpected(let text): "The broker said something unexpected: \(text)"
        }
    }
}
