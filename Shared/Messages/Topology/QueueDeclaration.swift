/// A durable queue as it has to be declared, with every argument.
public struct QueueDeclaration: Sendable, Hashable {
    /// An argument of the declaration.
    public enum Argument: Sendable, Hashable {
        /// A text.
        case text(String)
        /// A whole number.
        case integer(Int)
        /// True or false.
        case flag(Bool)
    }

    /// The queue's name.
    public let name: String
    /// Every `x-…` argument.
    public let arguments: [String: Argument]

    /// A queue of these; those of a topology have names below.
    package init(name: String, arguments: [String: Argument]) {
        self.name = name
        self.arguments = arguments
    }

    /// The queue of a partition: commands, events, and what comes back from the ladder.
    public static func partition(_ service: ServiceName, _ number: Int) -> QueueDeclaration {
        QueueDeclaration(
            name: "\(service).\(number)",
            arguments: [
                "x-queue-type": .text("quorum"),
                "x-single-active-consumer": .flag(true),
                "x-delivery-limit": .integer(100),
                "x-dead-letter-exchange": .text(Exchange.dead.rawValue),
                "x-dead-letter-routing-key": .text(service.rawValue),
                "x-dead-letter-strategy": .text("at-least-once"),
                // At-least-once dead-lettering asks for it; without a length limit nothing is ever rejected.
                "x-overflow": .text("reject-publish"),
            ])
    }

    /// A rung of the ladder: what is published into it comes back to `tollgate.requeue` after the delay.
    public static func retry(_ service: ServiceName, _ delay: RetryDelay) -> QueueDeclaration {
        QueueDeclaration(
            name: "\(service).retry.\(delay.text)",
            arguments: [
                "x-queue-type": .text("quorum"),
                "x-message-ttl": .integer(Int(max(1, delay.duration.wholeMilliseconds))),
                "x-dead-letter-exchange": .text(Exchange.requeue.rawValue),
                "x-dead-letter-strategy": .text("at-least-once"),
                "x-overflow": .text("reject-publish"),
            ])
    }

    /// What the broker condemns, until the service moves it into its store.
    public static func dead(_ service: ServiceName) -> QueueDeclaration {
        QueueDeclaration(
            name: "\(service).dead",
            arguments: [
                "x-queue-type": .text("quorum"),
                "x-single-active-consumer": .flag(true),
                "x-delivery-limit": .integer(1_000_000_000),
            ])
    }
}

/// Ties a queue to an exchange.
public struct Binding: Sendable, Hashable {
    /// From where.
    public let exchange: Exchange
    /// Into which queue.
    public let queue: String
    /// For which keys; `*` stands for one word in a topic exchange.
    public let routingKey: String

    /// A binding of these.
    public init(exchange: Exchange, queue: String, routingKey: String) {
        self.exchange = exchange
        self.queue = queue
        self.routingKey = routingKey
    }
}
