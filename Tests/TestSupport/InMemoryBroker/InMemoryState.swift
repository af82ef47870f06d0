import Messages
import Messaging

/// Everything that the broker in memory knows. A value: what it decides, it decides at once, under its owner's lock.
struct InMemoryState {
    struct Consumer {
        let queue: String
        let session: Int
        let prefetch: Int
        var nextTag: UInt64 = 1
        var unsettled: [UInt64: InMemoryQueue.Message] = [:]
        var arrived: [Delivery] = []
        /// Nothing more will arrive.
        var isCancelled = false
        /// Its connection died.
        var isLost = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    var exchanges: Set<Exchange> = [.direct]
    var queues: [String: InMemoryQueue] = [:]
    var bindings: Set<Binding> = []
    var consumers: [Int: Consumer] = [:]
    var sessions: Set<Int> = []
    var isDown = false
    var isBlocked = false
    var interfere: (@Sendable (Publication) -> InMemoryBroker.Interference?)?
    /// The broker's own clock, moved by tests.
    var now = Duration.zero
    /// To be resumed once the lock is let go.
    var woken: [CheckedContinuation<Void, Never>] = []
    private var counter = 0

    mutating func nextNumber() -> Int {
        counter += 1
        return counter
    }

    // MARK: Declaring

    mutating func declare(_ topology: Topology) throws(BrokerError) {
        exchanges.formUnion(topology.exchanges)
        for declaration in topology.queues {
            if let known = queues[declaration.name] {
                guard known.arguments == declaration.arguments else {
                    throw .differs("queue \(declaration.name) has other arguments")
                }
            } else {
                queues[declaration.name] = InMemoryQueue(
                    name: declaration.name, arguments: declaration.arguments, owner: nil)
            }
        }
        try bind(topology.bindings)
    }

    mutating func declareExclusive(_ name: String, _ wanted: [Binding], session: Int) throws(BrokerError) {
        if let known = queues[name] {
            guard known.owner == session else { throw .ownedElsewhere(queue: name) }
        } else {
            queues[name] = InMemoryQueue(name: name, arguments: [:], owner: session)
        }
        try bind(wanted)
    }

    private mutating func bind(_ wanted: [Binding]) throws(BrokerError) {
        for binding in wanted {
            guard exchanges.contains(binding.exchange) else { throw .missing("exchange \(binding.exchange.rawValue)") }
            guard queues[binding.queue] != nil else { throw .missing("queue \(binding.queue)") }
            bindings.insert(binding)
        }
    }

    mutating func delete(queue name: String) {
        queues[name] = nil
        bindings = bindings.filter { $0.queue != name }
        for id in consumers.keys where consumers[id]?.queue == name {
            consumers[id]?.unsettled = [:]
            cancel(id)
        }
    }

    // MARK: Routing

    /// The queues that a message under this key reaches.
    func targets(_ exchange: Exchange, _ routingKey: String) -> [String] {
        if exchange == .direct { return queues[routingKey] == nil ? [] : [routingKey] }
        let matching = bindings.filter { binding in
            guard binding.exchange == exchange else { return false }
            return exchange.type == "topic"
                ? Self.matches(binding.routingKey, routingKey) : binding.routingKey == routingKey
        }
        return Set(matching.map(\.queue)).sorted()
    }

    /// Whether a topic pattern covers a key; `*` is one word. (`#` is not used here.)
    static func matches(_ pattern: String, _ key: String) -> Bool {
        let words = key.split(separator: ".", omittingEmptySubsequences: false)
        let wanted = pattern.split(separator: ".", omittingEmptySubsequences: false)
        return words.count == wanted.count && zip(wanted, words).allSatisfy { $0 == "*" || $0 == $1 }
    }

    /// Puts a message into every queue it reaches; false where there is none.
    @discardableResult
    mutating func route(_ envelope: Envelope, exchange: Exchange, routingKey: String, returns: Int = 0) -> Bool {
        let names = targets(exchange, routingKey)
        for name in names {
            var message = InMemoryQueue.Message(
                envelope: envelope, exchange: exchange.rawValue, routingKey: routingKey, number: nextNumber(),
                expiresAt: queues[name]?.timeToLive.map { now + $0 })
            message.returns = returns
            queues[name]?.ready.append(message)
            dispatch(name)
        }
        return !names.isEmpty
    }

    // MARK: Delivering

    mutating func subscribe(to queue: String, prefetch: Int, session: Int) throws(BrokerError) -> Int {
        guard let known = queues[queue] else { throw .missing("queue \(queue)") }
        guard known.owner == nil || known.owner == session else { throw .ownedElsewhere(queue: queue) }
        let id = nextNumber()
        consumers[id] = Consumer(queue: queue, session: session, prefetch: prefetch)
        queues[queue]?.consumers.append(id)
        dispatch(queue)
        return id
    }

    /// Hands what is ready to whoever may have it.
    mutating func dispatch(_ name: String) {
        while let queue = queues[name], let message = queue.ready.first {
            let candidates = queue.hasSingleActiveConsumer ? Array(queue.consumers.prefix(1)) : queue.consumers
            let taker = candidates.first { id in
                consumers[id].map { $0.unsettled.count < $0.prefetch } ?? false
            }
            guard let taker, var consumer = consumers[taker] else { return }
            queues[name]?.ready.removeFirst()
            consumer.arrived.append(
                Delivery(
                    tag: consumer.nextTag, envelope: queue.delivered(message), exchange: message.exchange,
                    routingKey: message.routingKey, isRedelivered: message.returns > 0))
            consumer.unsettled[consumer.nextTag] = message
            consumer.nextTag += 1
            wake(&consumer)
            consumers[taker] = consumer
            if !queue.hasSingleActiveConsumer {
                // The next message is somebody else's turn.
                queues[name]?.consumers.removeAll { $0 == taker }
                queues[name]?.consumers.append(taker)
            }
        }
    }

    mutating func settle(_ tags: [UInt64], _ settlement: Settlement, consumer id: Int) {
        guard var consumer = consumers[id], !consumer.isLost else { return }
        let messages = tags.compactMap { consumer.unsettled.removeValue(forKey: $0) }
        consumers[id] = consumer
        if settlement == .giveBack { takeBack(messages, into: consumer.queue) }
        dispatch(consumer.queue)
    }

    private mutating func takeBack(_ messages: [InMemoryQueue.Message], into name: String) {
        for var message in messages {
            guard let queue = queues[name] else { return }
            message.returns += 1
            if let limit = queue.deliveryLimit, message.returns > limit {
                bury(message, from: queue, reason: "delivery_limit")
            } else {
                queues[name]?.putBack(message)
            }
        }
    }

    private mutating func bury(_ message: InMemoryQueue.Message, from queue: InMemoryQueue, reason: String) {
        guard let route = queue.deadLetterRoute(of: message), let exchange = Exchange(rawValue: route.exchange) else {
            return
        }
        self.route(queue.dead(message, reason: reason), exchange: exchange, routingKey: route.routingKey)
    }

    /// Ends a consumer; what it has not settled stays its own until its session ends.
    mutating func cancel(_ id: Int) {
        guard var consumer = consumers[id], !consumer.isCancelled else { return }
        consumer.isCancelled = true
        wake(&consumer)
        consumers[id] = consumer
        queues[consumer.queue]?.consumers.removeAll { $0 == id }
        dispatch(consumer.queue)
    }

    /// Ends a session: its exclusive queues vanish, what it has not settled is delivered again.
    mutating func end(session: Int) {
        sessions.remove(session)
        for name in queues.keys where queues[name]?.owner == session { delete(queue: name) }
        for id in consumers.keys.sorted() where consumers[id]?.session == session {
            guard var consumer = consumers[id] else { continue }
            let unsettled = consumer.unsettled.sorted { $0.key < $1.key }.map(\.value)
            consumer.unsettled = [:]
            consumer.arrived = []
            consumer.isLost = true
            wake(&consumer)
            consumers[id] = consumer
            queues[consumer.queue]?.consumers.removeAll { $0 == id }
            takeBack(unsettled, into: consumer.queue)
            dispatch(consumer.queue)
        }
    }

    /// Moves the clock; what has been too long in a queue dies.
    mutating func passTime(_ duration: Duration) {
        now += duration
        for name in queues.keys.sorted() {
            guard let queue = queues[name] else { continue }
            let expired = queue.ready.filter { $0.expiresAt.map { $0 <= now } ?? false }
            queues[name]?.ready.removeAll { $0.expiresAt.map { $0 <= now } ?? false }
            for message in expired { bury(message, from: queue, reason: "expired") }
        }
    }

    /// Ends the waiting of a consumer whose task is cancelled.
    mutating func wake(consumer id: Int) {
        guard var consumer = consumers[id] else { return }
        wake(&consumer)
        consumers[id] = consumer
    }

    private mutating func wake(_ consumer: inout Consumer) {
        if let waiter = consumer.waiter { woken.append(waiter) }
        consumer.waiter = nil
    }
}
