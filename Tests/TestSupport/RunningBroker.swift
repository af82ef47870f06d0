public import AMQP
public import ServiceKit

extension AMQPBroker {
    /// Runs `body` with a broker of these settings that is connected, and stops it in order afterwards.
    public static func running<Value: Sendable>(
        _ settings: BrokerSettings, name: String = "test", metrics: MetricsRegistry = MetricsRegistry(),
        logger: Logger = Logger(service: "test", write: { _ in }),
        _ body: @Sendable (AMQPBroker) async throws -> Value
    ) async throws -> Value {
        let broker = AMQPBroker(settings, name: name, logger: logger, metrics: metrics)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await broker.run() }
            defer { group.cancelAll() }
            guard await eventually(every: .milliseconds(5), { broker.isConnected }) else {
                throw TestFailure("not connected to \(settings.address) in time")
            }
            let value = try await body(broker)
            group.cancelAll()
            try await group.waitForAll()
            return value
        }
    }
}
