public import Messages
public import Messaging
import Synchronization

/// A broker in memory that keeps the promises of the real one, for tests of what is built upon it:
/// ``MessagingConformance`` runs against both.
///
/// Time stands still until ``passTime(_:)``: a retry queue holds its messages until then.
public final class InMemoryBroker: Broker {
    /// What a test does to one publication instead of letting it pass.
    public enum Interference: Sendable {
        /// It arrives, but its publisher is told this.
        case arrives(PublishOutcome)
        /// It does not arrive, and its publisher is told this.
        case isLost(PublishOutcome)
    }

    private let user: BrokerUser
    private let server: InMemoryServer

    /// - Parameters:
    ///   - topology: what has been declared already.
    ///   - user: who publishes here; see ``client(as:)`` for others.
    public init(topology: Topology? = nil, user: BrokerUser = .operatorTool) {
        server = InMemoryServer()
        self.user = user
        guard let topology else { return }
        // A fresh broker has nothing that could differ.
        server.with { state in try? state.declare(topology) }
    }

    private init(server: InMemoryServer, user: BrokerUser) {
        self.server = server
        self.user = user
    }

    /// The same broker, for another login.
    public func client(as user: BrokerUser) -> InMemoryBroker { InMemoryBroker(server: server, user: user) }

    /// Publishes as this broker's user.
    public var publisher: any Publisher { InMemoryPublisher(server: server, user: user) }

    /// Opens a session.
    public func openSession(named name: String) async throws(BrokerError) -> any BrokerSession {
        try await InMemorySession(server: server)
    }

    // MARK: What tests do to it

    /// Takes nothing from publishers, as during a memory alarm; consumers go on.
    public func block() { server.with { $0.isBlocked = true } }
    /// Takes messages again.
    public func unblock() { server.with { $0.isBlocked = false } }

    /// Every session dies, and none can be opened, until ``comeUp()``. Durable queues stay.
    public func goDown() {
        server.with { state in
            state.isDown = true
            for session in state.sessions.sorted() { state.end(session: session) }
        }
    }
    /// Sessions can be opened again.
    public func comeUp() { server.with { $0.isDown = false } }

    /// From now on `interfere` is asked about every publication; nil lets it pass.
    public func interfere(_ interfere: (@Sendable (Publication) -> Interference?)?) {
        server.with { $0.interfere = interfere }
    }

    /// Moves the broker's clock.
    public func passTime(_ duration: Duration) { server.with { $0.passTime(duration) } }

    /// Removes a queue with all that is in it; the broker cancels its consumers.
    public func delete(queue: String) { server.with { $0.delete(queue: queue) } }

    /// Puts a message in as any login, past interference and blocking, as if it had come back `returns` times.
    public func inject(_ envelope: Envelope, to route: Route, as user: BrokerUser? = nil, returns: Int = 0) {
        var envelope = envelope
        envelope.properties.userID = user?.rawValue
        server.with { [envelope] in
            _ = $0.route(envelope, exchange: route.exchange, routingKey: route.routingKey, returns: returns)
        }
    }

    /// What waits in a queue, undelivered.
    public func waiting(in queue: String) -> [Envelope] {
        server.with { $0.queues[queue]?.ready.map(\.envelope) ?? [] }
    }

    /// How many messages a queue has, delivered but unsettled ones included.
    public func depth(of queue: String) -> Int {
        server.with { state in
            let unsettled = state.consumers.values.filter { $0.queue == queue }.map(\.unsettled.count)
            return unsettled.reduce(state.queues[queue]?.ready.count ?? 0, +)
        }
    }
}

/// What all clients of one broker in memory share.
final class InMemoryServer: Sendable {
    private let state = Mutex(InMemoryState())

    func with<Value: Sendable, Failure: Error>(
        _ body: (inout sending InMemoryState) throws(Failure) -> sending Value
    ) throws(Failure) -> sending Value {
        // Not under the lock: a task is resumed under a lock of its own, and cancelled under the same it asks for ours.
        defer {
            let woken = state.withLock { state in
                defer { state.woken = [] }
                return state.woken
            }
            for waiter in woken { waiter.resume() }
        }
        return try state.withLock(body)
    }
}
