package import AMQP
internal import Glibc
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
    /// Writes to standard output at once: for what would be too much to keep until the end, or has to be seen meanwhile.
    package let write: @Sendable (String) throws -> Void
    /// Says on standard error how a long task goes on.
    package let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - environment: of the process, or a test's.
    ///   - connect: RabbitMQ unless given.
    ///   - write: standard output unless given.
    ///   - tell: standard error unless given.
    package init(
        environment: [String: String], connect: @escaping @Sendable (BrokerSettings) -> Connection = Self.rabbitMQ,
        write: @escaping @Sendable (String) throws -> Void = Self.standardOutput,
        tell: @escaping @Sendable (String) -> Void = { Logger.standardError($0 + "\n") }
    ) {
        self.environment = environment
        self.connect = connect
        self.write = write
        self.tell = tell
    }

    /// Whole, whatever a pipe takes at once.
    ///
    /// - Throws: ``ToolFailure`` where there is no room for it: what is cut short must not look whole.
    package static let standardOutput: @Sendable (String) throws -> Void = { text in
        var text = text
        try text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Glibc.write(STDOUT_FILENO, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard written > 0 || (written < 0 && errno == EINTR) else {
                    throw ToolFailure(.failed, "cannot write the output: \(String(cString: strerror(errno)))")
                }
                rest = rest.dropFirst(max(0, written))
            }
        }
    }

    /// What the broker's client would log beyond errors that commands report themselves is of no use to an operator.
    package static let rabbitMQ: @Sendable (BrokerSettings) -> Connection = { settings in
        let broker = AMQPBroker(settings, name: "tollgate", logger: Logger(service: "tollgate") { _ in })
        return (broker, broker)
    }
}
