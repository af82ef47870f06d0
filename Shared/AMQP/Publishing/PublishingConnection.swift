import Messages
import Messaging
import ServiceKit

/// The connection that a process publishes on, made again and again by ``AMQPBroker``; one thread owns it.
///
/// Channel 1 has confirms, channel 2 carries replies without. The thread sends only while the socket has room and the
/// broker has not blocked us, so that it is always there to read what the broker says; only a message larger than the
/// socket's buffer can hold it up.
actor PublishingConnection {
    private static let confirming: UInt16 = 1
    private static let replying: UInt16 = 2
    /// A socket that can be written to takes at least this without waiting.
    private static let room = 16 << 10

    private nonisolated let executor: SocketExecutor
    private let publisher: ConfirmingPublisher
    private let hangingSend: HangingSend
    private let measures: PublishMeasures
    private let logger: Logger
    private var connection: Connection?
    private var heartbeat = Duration.seconds(10)
    private var assembler = ContentAssembler()
    private var returning: (exchange: String, routingKey: String)?
    private var isBlocked = false
    /// Resumed when the connection is gone.
    private var ending: CheckedContinuation<BrokerError, Never>?
    private var end: BrokerError?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        executor: SocketExecutor, publisher: ConfirmingPublisher, hangingSend: HangingSend, measures: PublishMeasures,
        logger: Logger
    ) {
        self.executor = executor
        self.publisher = publisher
        self.hangingSend = hangingSend
        self.measures = measures
        self.logger = logger
    }

    /// Connects, logs in and begins to send.
    func open(_ settings: BrokerSettings, name: String) throws(BrokerError) {
        let connection = try Connection.open(settings, name: name)
        try connection.ask(.openChannel, on: Self.confirming, awaiting: Method.Number.channelOpenOK)
        try connection.ask(.selectConfirms, on: Self.confirming, awaiting: Method.Number.confirmSelectOK)
        try connection.ask(.openChannel, on: Self.replying, awaiting: Method.Number.channelOpenOK)
        heartbeat = settings.heartbeat
        end = nil
        isBlocked = false
        returning = nil
        assembler = ContentAssembler()
        self.connection = connection
        publisher.withLedger { $0.connected(largestProperties: connection.largestProperties) }
        publisher.acceptReplies(true)
        measures.connected.set(1)
        executor.pump { [weak self] in self?.assumeIsolated { $0.pump() } }
    }

    /// Waits until the connection is gone, and says why.
    func untilEnd() async -> BrokerError {
        if let end { return end }
        return await withCheckedContinuation { ending = $0 }
    }

    /// Closes in order, once the thread comes to it; ``untilEnd()`` returns then.
    nonisolated func closeSoon() {
        executor.run { [weak self] in self?.assumeIsolated { $0.close() } }
    }

    private func close() {
        connection?.close()
        fail(.disconnected("closed"))
    }

    // MARK: On the thread

    private func pump() -> SocketExecutor.Wait? {
        guard let connection else { return nil }
        do {
            while let frame = try connection.receive() { try take(frame, connection) }
            let rest = try sendWhatWaits(connection)
            return SocketExecutor.Wait(
                descriptor: connection.descriptor, untilWritable: rest == .waitsForRoom,
                atMost: rest == .waitsForItsTurn || connection.hasMore ? .zero : heartbeat / 4)
        } catch {
            fail(error)
            return nil
        }
    }

    private enum Rest {
        case nothing
        case waitsForRoom
        case waitsForItsTurn
    }

    private func sendWhatWaits(_ connection: Connection) throws(BrokerError) -> Rest {
        guard !isBlocked else { return .nothing }
        var room = 0
        var sent = 0
        // The first message goes at once; only what follows it is worth gathering.
        func count() {
            sent += 1
            if sent == 2 { connection.gather(true) }
        }
        defer { if sent > 1 { connection.gather(false) } }
        // Not for ever: what the broker says has to be read.
        while sent < 512 {
            if room <= 0 {
                guard connection.isWritable else { return .waitsForRoom }
                room = Self.room
            }
            if let reply = publisher.nextReply() {
                guard reply.fits(connection) else { continue }
                count()
                room -= try send(reply, on: Self.replying, connection)
            } else if let next = publisher.withLedger({ $0.next(now: .now) }) {
                count()
                room -= try send(next.all[next.place], on: Self.confirming, connection)
            } else {
                return .nothing
            }
        }
        return .waitsForItsTurn
    }

    /// Returns about how many bytes it took.
    private func send(
        _ publication: Publication, on channel: UInt16, _ connection: Connection
    ) throws(BrokerError) -> Int {
        let size = publication.envelope.body.count + 1024
        if size > Self.room { hangingSend.begin(connection.descriptor) }
        defer { if size > Self.room { hangingSend.end() } }
        try connection.publish(publication, on: channel)
        return size
    }

    private func take(_ frame: Connection.Frame, _ connection: Connection) throws(BrokerError) {
        switch frame {
        case .method(let channel, let method): try take(method, on: channel, connection)
        case .header(_, let bodySize, let properties):
            if let envelope = try assembler.header(properties, bodySize: bodySize) { returned(envelope) }
        case .body(_, let bytes):
            if let envelope = try assembler.body(bytes) { returned(envelope) }
        }
    }

    private func take(_ method: Method, on channel: UInt16, _ connection: Connection) throws(BrokerError) {
        switch method {
        case .confirmed(let tag, let upTo): publisher.withLedger { $0.confirmed(tag, upTo: upTo) }
        case .refused(let tag, let upTo): publisher.withLedger { $0.refused(tag, upTo: upTo) }
        case .returned(let exchange, let routingKey): returning = (exchange, routingKey)
        case .blocked(let reason):
            logger.warning("the broker takes no messages", ["reason": .string(reason)])
            block(true)
        case .unblocked:
            logger.info("the broker takes messages again")
            block(false)
        case .channelClosed(let reason): try reopen(channel, after: reason, connection)
        case .connectionClosed(let reason):
            try connection.send(.confirmConnectionClosed, on: 0)
            throw reason.error(about: "connection")
        case .deliver, .consumerCancelled, .done, .other: break
        }
    }

    private func returned(_ envelope: Envelope) {
        guard let returning else { return }
        self.returning = nil
        publisher.withLedger {
            $0.returned(envelope, exchange: returning.exchange, routingKey: returning.routingKey)
        }
    }

    private func block(_ isBlocked: Bool) {
        self.isBlocked = isBlocked
        measures.blocked.set(isBlocked ? 1 : 0)
        publisher.withLedger { isBlocked ? $0.blocked() : $0.unblocked() }
        publisher.acceptReplies(!isBlocked)
    }

    /// One publication was not allowed, or its exchange is not there: the others must not suffer.
    private func reopen(
        _ channel: UInt16, after reason: ClosingReason, _ connection: Connection
    ) throws(BrokerError) {
        logger.error("the broker refused a publication", ["reason": .string(reason.text)])
        try connection.send(.confirmChannelClosed, on: channel)
        try connection.ask(.openChannel, on: channel, awaiting: Method.Number.channelOpenOK)
        guard channel == Self.confirming else { return }
        assembler = ContentAssembler()
        returning = nil
        try connection.ask(.selectConfirms, on: channel, awaiting: Method.Number.confirmSelectOK)
        let exchange = reason.quoted(after: "exchange ")
        let routingKey = reason.quoted(after: "topic ")
        publisher.withLedger { $0.channelClosed(over: exchange, routingKey: routingKey) }
    }

    private func fail(_ error: BrokerError) {
        guard connection != nil else { return }
        connection = nil
        executor.pump(nil)
        measures.connected.set(0)
        measures.blocked.set(0)
        publisher.acceptReplies(false)
        publisher.withLedger { $0.disconnected(now: .now) }
        end = error
        ending?.resume(returning: error)
        ending = nil
    }
}

extension Publication {
    fileprivate func fits(_ connection: Connection) -> Bool {
        guard let size = envelope.properties.encodedSize(user: connection.user) else { return false }
        return size <= connection.largestProperties && route.routingKey.utf8.count <= 255
    }
}
