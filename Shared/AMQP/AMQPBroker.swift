public import Messaging
public import ServiceKit

/// A RabbitMQ broker.
///
/// As a ``Service`` it keeps the publisher's connection: makes it, makes it again when it was lost, closes it in order.
/// Sessions for consuming are connections of their own, and end when theirs does.
public final class AMQPBroker: Broker, Service {
    /// Publishes with the login's name as `user_id`.
    ///
    /// While there is no connection a publication waits up to 250 ms from the loss of it, then it is
    /// ``PublishOutcome/NotSent/disconnected``. While the broker has blocked publishers it is
    /// ``PublishOutcome/NotSent/blocked`` at once.
    public var publisher: any Publisher { confirming }

    private let settings: BrokerSettings
    private let name: String
    private let logger: Logger
    private let confirming: ConfirmingPublisher
    private let publishing: PublishingConnection
    private let hangingSend: HangingSend
    private let measures: PublishMeasures

    /// - Parameters:
    ///   - name: of this process, shown in the broker's management pages.
    ///   - metrics: gets `tollgate_published_total` by outcome, `tollgate_broker_connected` and `…_blocked`.
    public init(_ settings: BrokerSettings, name: String, logger: Logger, metrics: MetricsRegistry = MetricsRegistry())
    {
        self.settings = settings
        self.name = name
        self.logger = logger.with("broker", .string("\(settings.address)"))
        measures = PublishMeasures(metrics)
        let executor = SocketExecutor(label: "amqp-publish")
        hangingSend = HangingSend(patience: settings.heartbeat * 2)
        confirming = ConfirmingPublisher(
            user: settings.address.user, limits: PublishLedger.Limits(), hangingSend: hangingSend, measures: measures,
            logger: self.logger
        ) {
            executor.wake()
        }
        publishing = PublishingConnection(
            executor: executor, publisher: confirming, hangingSend: hangingSend, measures: measures,
            logger: self.logger)
    }

    /// Whether the publisher has a connection now.
    public var isConnected: Bool { measures.connected.value == 1 }

    /// Opens a connection for consuming; tries once, for up to 10 seconds.
    public func openSession(named name: String) async throws(BrokerError) -> any BrokerSession {
        let session = ConsumingConnection(name: name, heartbeat: settings.heartbeat)
        try await session.open(settings, name: name)
        return session
    }

    /// Keeps the publisher connected until cancelled.
    public func run() async throws {
        var reconnecting = ReconnectStateMachine()
        var action = ReconnectStateMachine.Action.connect
        while !Task.isCancelled {
            switch action {
            case .wait(let duration):
                // A broker that is away tells nobody when it is back. Cancelled, this returns at once, and the loop ends.
                try? await Task.sleep(for: duration)
                action = .connect
            case .connect:
                do {
                    try await publishing.open(settings, name: name)
                    reconnecting.connected()
                    logger.info("connected")
                    action = reconnecting.failed(after: await lifetime())
                } catch {
                    action = reconnecting.failed()
                    log(error, next: action)
                }
            }
        }
        confirming.withLedger { $0.stopped(now: .now) }
    }

    /// Waits for the end of the connection; closes it when the task is cancelled.
    private func lifetime() async -> Duration {
        let began = ContinuousClock.now
        let end = await withTaskCancellationHandler {
            await publishing.untilEnd()
        } onCancel: {
            hangingSend.endNow()
            publishing.closeSoon()
        }
        if !Task.isCancelled { logger.warning("lost the connection", ["error": .string("\(end)")]) }
        return .now - began
    }

    private func log(_ error: BrokerError, next: ReconnectStateMachine.Action) {
        var wait = LogValue.integer(0)
        if case .wait(let duration) = next { wait = .milliseconds(duration) }
        switch error {
        case .notAllowed:
            // Somebody may create the user or give the permission: it goes on trying.
            logger.error("the broker does not let us in", ["error": .string("\(error)"), "retry_ms": wait])
        default: logger.warning("cannot connect", ["error": .string("\(error)"), "retry_ms": wait])
        }
    }
}
