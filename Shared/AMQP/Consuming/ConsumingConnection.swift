import Messages
import Messaging

/// A connection for consuming and declaring; one thread owns it.
///
/// A subscription has a channel of its own, a declaration a throw-away one: the broker answers a mistake by closing the
/// channel, and the connection survives it. When the connection dies it stays dead: its owner opens another.
actor ConsumingConnection: BrokerSession {
    private nonisolated let executor: SocketExecutor
    private let patience: Duration
    private let heartbeat: Duration
    private var connection: Connection?
    private var channels: [UInt16: Channel] = [:]
    /// Why there is no connection any more.
    private var end = BrokerError.disconnected("closed")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes the thread; ``open(_:name:)`` connects.
    ///
    /// - Parameter patience: how long the broker may take to answer anything.
    init(name: String, heartbeat: Duration, patience: Duration = .seconds(20)) {
        executor = SocketExecutor(label: name)
        self.patience = patience
        self.heartbeat = heartbeat
    }

    func open(_ settings: BrokerSettings, name: String) throws(BrokerError) {
        let connection = try Connection.open(settings, name: name)
        connection.acceptLargerFrames()
        connection.giveUpUnacknowledged(after: heartbeat * 2)
        self.connection = connection
        executor.pump { [weak self] in self?.assumeIsolated { $0.pump() } }
    }

    // MARK: BrokerSession

    func declareExclusive(queue: String, bindings: [Binding]) async throws(BrokerError) {
        try await ask([.declareExclusiveQueue(queue)] + bindings.map(Request.bind))
    }

    func declare(_ topology: Topology) async throws(BrokerError) {
        try await ask(topology.requests(areQueuesNew: try await isMissing(anyOf: topology.queues)))
    }

    private func isMissing(anyOf queues: [QueueDeclaration]) async throws(BrokerError) -> Bool {
        do {
            try await ask(queues.map { .lookAtQueue($0.name) })
            return false
        } catch .missing {
            return true
        }
    }

    func subscribe(to queue: String, prefetch: Int) async throws(BrokerError) -> any Subscription {
        let channel = try unusedChannel()
        let tag = "\(queue)#\(channel)"
        let buffer = DeliveryBuffer()
        channels[channel] = Channel(consumer: Channel.Consumer(buffer: buffer, tag: tag))
        try await ask(
            [.openChannel, .prefetch(UInt16(clamping: max(1, prefetch))), .consume(queue: queue, tag: tag)], on: channel
        )
        return AMQPSubscription(connection: self, channel: channel, buffer: buffer)
    }

    func ready(in queue: String) async throws(BrokerError) -> Int {
        try await ask([.lookAtQueue(queue)])
    }

    func close() {
        connection?.close()
        fail(.disconnected("closed"))
    }

    // MARK: Of subscriptions

    func settle(_ tags: [UInt64], _ settlement: Settlement, on channel: UInt16) {
        guard let connection, let frames = channels[channel]?.consumer?.ledger.settle(tags) else { return }
        do {
            for frame in frames {
                let request: Request =
                    switch settlement {
                    case .acknowledge: .acknowledge(tag: frame.tag, upTo: frame.upTo)
                    case .giveBack: .giveBack(tag: frame.tag, upTo: frame.upTo)
                    }
                try connection.send(request, on: channel)
            }
        } catch {
            fail(error)
        }
    }

    func cancel(_ channel: UInt16) async {
        guard let consumer = channels[channel]?.consumer, !consumer.isCancelled else { return }
        consumer.isCancelled = true
        // Where it fails the connection or the channel is gone, and the buffer knows.
        _ = try? await ask([.cancel(tag: consumer.tag)], on: channel)
        consumer.buffer.cancelled()
    }

    // MARK: Asking

    /// Asks on a throw-away channel, all at once, and waits for the last answer.
    @discardableResult
    private func ask(_ requests: [Request]) async throws(BrokerError) -> Int {
        let channel = try unusedChannel()
        channels[channel] = Channel()
        let answer = try await ask([.openChannel] + requests, on: channel)
        try await ask([.closeChannel], on: channel)
        channels[channel] = nil
        return answer
    }

    @discardableResult
    private func ask(_ requests: [Request], on channel: UInt16) async throws(BrokerError) -> Int {
        guard connection != nil, channels[channel] != nil else { throw end }
        let answer: Result<Int, BrokerError> = await withCheckedContinuation { continuation in
            send(requests, on: channel) { continuation.resume(returning: $0) }
        }
        return try answer.get()
    }

    private func send(
        _ requests: [Request], on channel: UInt16, whenAnswered: @escaping @Sendable (Result<Int, BrokerError>) -> Void
    ) {
        let deadline = ContinuousClock.now + patience
        for (index, request) in requests.enumerated() {
            channels[channel]?.questions.append(
                Channel.Question(
                    subject: request.subject, deadline: deadline,
                    whenAnswered: index == requests.count - 1 ? whenAnswered : nil))
        }
        do {
            for request in requests { try connection?.send(request, on: channel) }
        } catch {
            fail(error)
        }
    }

    private func unusedChannel() throws(BrokerError) -> UInt16 {
        guard connection != nil else { throw end }
        guard let channel = (1...2047).first(where: { channels[$0] == nil }) else {
            throw .unexpected("more than 2047 channels on one connection")
        }
        return channel
    }

    // MARK: On the thread

    private func pump() -> SocketExecutor.Wait? {
        guard let connection else { return nil }
        do {
            // Not for ever: settlements wait to be sent.
            for _ in 0..<512 {
                guard let frame = try connection.receive() else {
                    handOver()
                    return SocketExecutor.Wait(descriptor: connection.descriptor, atMost: try timeToNextDeadline())
                }
                try take(frame, connection)
            }
            handOver()
            return SocketExecutor.Wait(descriptor: connection.descriptor, atMost: .zero)
        } catch {
            fail(error)
            return nil
        }
    }

    private func handOver() {
        for channel in channels.values { channel.consumer?.handOver() }
    }

    private func timeToNextDeadline() throws(BrokerError) -> Duration {
        var time = heartbeat / 4
        for channel in channels.values where !channel.questions.isEmpty {
            guard let question = channel.questions[0] else { continue }
            let left = question.deadline - .now
            guard left > .zero else { throw .deadline(question.subject) }
            time = min(time, left)
        }
        return time
    }

    private func take(_ frame: Connection.Frame, _ connection: Connection) throws(BrokerError) {
        switch frame {
        case .method(let channel, let method): try take(method, on: channel, connection)
        case .header(let channel, let bodySize, let properties):
            guard let consumer = channels[channel]?.consumer,
                let envelope = try consumer.assembler.header(properties, bodySize: bodySize)
            else { return }
            consumer.delivered(envelope)
        case .body(let channel, let bytes):
            guard let consumer = channels[channel]?.consumer, let envelope = try consumer.assembler.body(bytes) else {
                return
            }
            consumer.delivered(envelope)
        }
    }

    private func take(_ method: Method, on channel: UInt16, _ connection: Connection) throws(BrokerError) {
        switch method {
        case .deliver(let tag, let isRedelivered, let exchange, let routingKey):
            channels[channel]?.consumer?.coming = (tag, isRedelivered, exchange, routingKey)
        case .done(let messages): channels[channel]?.questions.popFirst()?.whenAnswered?(.success(messages))
        case .consumerCancelled:
            guard let consumer = channels[channel]?.consumer else { return }
            consumer.handOver()
            consumer.isCancelled = true
            consumer.buffer.cancelled()
        case .channelClosed(let reason):
            try connection.send(.confirmChannelClosed, on: channel)
            guard let closed = channels.removeValue(forKey: channel) else { return }
            let subject = closed.questions.isEmpty ? nil : closed.questions[0]?.subject
            if let subject {
                closed.fail(reason.error(about: subject))
            } else {
                closed.fail(.disconnected("the broker closed the channel: \(reason.text)"))
            }
        case .connectionClosed(let reason):
            try connection.send(.confirmConnectionClosed, on: 0)
            throw .disconnected(reason.text)
        case .confirmed, .refused, .returned, .blocked, .unblocked, .other: break
        }
    }

    private func fail(_ error: BrokerError) {
        guard connection != nil else { return }
        connection = nil
        end = error
        executor.pump(nil)
        for channel in channels.values { channel.fail(error) }
        channels = [:]
    }
}
