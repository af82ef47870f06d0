import Messages
import Messaging

struct InMemoryPublisher: Publisher {
    let server: InMemoryServer
    let user: BrokerUser

    func publish(_ publications: [Publication], deadline: ContinuousClock.Instant) async -> [PublishOutcome] {
        publications.map { publication in
            guard ContinuousClock.now < deadline else { return .notSent(.deadline) }
            return server.with { state in
                if state.isDown { return .notSent(.disconnected) }
                if state.isBlocked { return .notSent(.blocked) }
                switch state.interfere?(publication) {
                case .isLost(let outcome): return outcome
                case .arrives(let outcome):
                    _ = accept(publication, &state)
                    return outcome
                case nil: return accept(publication, &state)
                }
            }
        }
    }

    func send(_ publications: [Publication]) async {
        for publication in publications {
            server.with { state in
                guard !state.isDown, !state.isBlocked else { return }
                if case .isLost = state.interfere?(publication) { return }
                _ = accept(publication, &state)
            }
        }
    }

    private func accept(_ publication: Publication, _ state: inout InMemoryState) -> PublishOutcome {
        guard state.exchanges.contains(publication.route.exchange) else { return .refused }
        var envelope = publication.envelope
        envelope.properties.userID = user.rawValue
        let arrived = state.route(
            envelope, exchange: publication.route.exchange, routingKey: publication.route.routingKey)
        return arrived || !publication.isMandatory ? .confirmed : .returned
    }
}

final class InMemorySession: BrokerSession {
    private let server: InMemoryServer
    private let id: Int

    init(server: InMemoryServer) async throws(BrokerError) {
        self.server = server
        id = try server.with { state throws(BrokerError) in
            guard !state.isDown else { throw .disconnected("the broker in memory is down") }
            let id = state.nextNumber()
            state.sessions.insert(id)
            return id
        }
    }

    func declareExclusive(queue: String, bindings: [Binding]) async throws(BrokerError) {
        try whileUp { state throws(BrokerError) in try state.declareExclusive(queue, bindings, session: id) }
    }

    func declare(_ topology: Topology) async throws(BrokerError) {
        try whileUp { state throws(BrokerError) in try state.declare(topology) }
    }

    func subscribe(to queue: String, prefetch: Int) async throws(BrokerError) -> any Subscription {
        let consumer = try whileUp { state throws(BrokerError) in
            try state.subscribe(to: queue, prefetch: prefetch, session: id)
        }
        return InMemorySubscription(server: server, id: consumer)
    }

    func ready(in queue: String) async throws(BrokerError) -> Int {
        try whileUp { state throws(BrokerError) in
            guard let known = state.queues[queue] else { throw .missing("queue \(queue)") }
            return known.ready.count
        }
    }

    func close() async { server.with { $0.end(session: id) } }

    private func whileUp<Value: Sendable>(
        _ body: (inout InMemoryState) throws(BrokerError) -> Value
    ) throws(BrokerError) -> Value {
        try server.with { state throws(BrokerError) in
            guard state.sessions.contains(id) else { throw .disconnected("the broker in memory closed the session") }
            return try body(&state)
        }
    }
}

struct InMemorySubscription: Subscription {
    let server: InMemoryServer
    let id: Int

    private enum Step: Sendable {
        case deliver([Delivery])
        case wait
        case end
        case lost
    }

    func next(upTo count: Int, bytes: Int) async throws(BrokerError) -> [Delivery]? {
        while true {
            switch step(count, bytes) {
            case .deliver(let deliveries): return deliveries
            case .end: return nil
            case .lost: throw .disconnected("the broker in memory closed the session")
            case .wait: if await !arrival() { return nil }
            }
        }
    }

    private func step(_ count: Int, _ bytes: Int) -> Step {
        server.with { state in
            guard let consumer = state.consumers[id], !consumer.isLost else { return .lost }
            guard !consumer.arrived.isEmpty else { return consumer.isCancelled ? .end : .wait }
            var size = 0
            let taken = consumer.arrived.prefix(max(1, count)).prefix { delivery in
                defer { size += delivery.size }
                return size == 0 || size + delivery.size <= bytes
            }
            state.consumers[id]?.arrived.removeFirst(taken.count)
            return .deliver(Array(taken))
        }
    }

    /// False when the task was cancelled.
    private func arrival() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                server.with { state in
                    guard let consumer = state.consumers[id], !consumer.isLost, !consumer.isCancelled,
                        consumer.arrived.isEmpty, !Task.isCancelled
                    else { return state.woken.append(continuation) }
                    state.consumers[id]?.waiter = continuation
                }
            }
        } onCancel: {
            server.with { $0.wake(consumer: id) }
        }
        return !Task.isCancelled
    }

    func settle(_ deliveries: [Delivery], _ settlement: Settlement) async {
        server.with { $0.settle(deliveries.map(\.tag), settlement, consumer: id) }
    }

    func cancel() async { server.with { $0.cancel(id) } }
}
