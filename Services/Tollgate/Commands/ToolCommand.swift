package import AMQP
package import Messaging
package import ServiceKit

/// One thing that an operator can ask for.
protocol ToolCommand: Sendable {
    /// What can be said to it.
    static var layout: CommandLayout { get }
    /// Does it.
    ///
    /// - Throws: ``ToolFailure``, ``UsageError``, `SettingsError`; anything else is a failure without advice.
    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output
}

/// What the commands find around them.
package struct Surroundings: Sendable {
    /// A broker, and what keeps it connected, if something has to.
    package typealias Connection = (broker: any Broker, service: (any Service)?)

    /// The process's environment.
    package let environment: [String: String]
    /// Makes the way to a broker; connects only when it is used.
    package let connect: @Sendable (BrokerSettings) -> Connection

    /// - Parameters:
    ///   - environment: of the process, or a test's.
    ///   - connect: RabbitMQ unless given.
    package init(
        environment: [String: String], connect: @escaping @Sendable (BrokerSettings) -> Connection = Self.rabbitMQ
    ) {
        self.environment = environment
        self.connect = connect
    }

    /// What the broker's client would log beyond errors that commands report themselves is of no use to an operator.
    package static let rabbitMQ: @Sendable (BrokerSettings) -> Connection = { settings in
        let broker = AMQPBroker(settings, name: "tollgate", logger: Logger(service: "tollgate") { _ in })
        return (broker, broker)
    }
}
