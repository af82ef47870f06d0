/// The exchanges of an installation; their names are part of the interface.
public enum Exchange: String, Sendable, CaseIterable, Hashable, Codable {
    /// Durable messages to one service; routing key `<service>.<bucket>`.
    case commands = "tollgate.commands"
    /// Transient messages to one service; routing key `<service>.<bucket>`.
    case queries = "tollgate.queries"
    /// Facts; routing key `<kind>.<bucket>`.
    case events = "tollgate.events"
    /// Into the retry ladder; routing key `<service>.<partition>.<delay>`.
    case retry = "tollgate.retry"
    /// Back from the retry ladder; the routing key is kept.
    case requeue = "tollgate.requeue"
    /// What the broker condemns; routing key `<service>`.
    case dead = "tollgate.dead"
    /// The broker's default exchange: replies and replays, by the name of their queue.
    case direct = ""

    /// How it routes.
    public var type: String {
        switch self {
        case .commands, .queries, .dead, .direct: "direct"
        case .events, .retry, .requeue: "topic"
        }
    }

    /// Whether every message to it carries its publisher's number, so that a lost one can be named.
    public var isNumbered: Bool { self == .commands || self == .events }

    /// Those that are declared.
    public static let declared: [Exchange] = [.commands, .queries, .events, .retry, .requeue, .dead]
}

/// Where a message is published to.
public struct Route: Sendable, Hashable {
    /// The exchange.
    public var exchange: Exchange
    /// Its routing key.
    public var routingKey: String

    /// Any route.
    public init(exchange: Exchange, routingKey: String) {
        self.exchange = exchange
        self.routingKey = routingKey
    }

    /// A command to `service`.
    public static func command(_ service: ServiceName, _ bucket: Bucket) -> Route {
        Route(exchange: .commands, routingKey: "\(service).\(bucket.number)")
    }
    /// A query or request to `service`.
    public static func query(_ service: ServiceName, _ bucket: Bucket) -> Route {
        Route(exchange: .queries, routingKey: "\(service).\(bucket.number)")
    }
    /// An event.
    public static func event(_ kind: MessageKind, _ bucket: Bucket) -> Route {
        Route(exchange: .events, routingKey: "\(kind).\(bucket.number)")
    }
    /// Into the ladder.
    public static func retry(_ service: ServiceName, partition: Int, _ delay: RetryDelay) -> Route {
        Route(exchange: .retry, routingKey: "\(service).\(partition).\(delay.text)")
    }
    /// Back onto a partition's queue, whoever owns it: forwards.
    public static func requeue(_ service: ServiceName, partition: Int) -> Route {
        Route(exchange: .requeue, routingKey: "\(service).\(partition).now")
    }
    /// Onto a partition's queue by its name: replays. A topic exchange costs the broker a quarter more for each.
    public static func replay(_ service: ServiceName, partition: Int) -> Route {
        Route(exchange: .direct, routingKey: QueueDeclaration.partition(service, partition).name)
    }
    /// To whoever asked.
    public static func reply(_ queue: String) -> Route { Route(exchange: .direct, routingKey: queue) }
}

/// One rung of the retry ladder: how long a message waits in it.
public struct RetryDelay: Sendable, Hashable {
    /// As in the queue's name: `50ms`, `1s`, `10m`.
    public let text: String
    /// The same, at least a millisecond.
    public let duration: Duration

    /// Pairs them.
    public init(text: String, duration: Duration) {
        self.text = text
        self.duration = duration
    }

    /// 1 s, 10 s, 1 min, 10 min.
    public static let standard = [
        RetryDelay(text: "1s", duration: .seconds(1)), RetryDelay(text: "10s", duration: .seconds(10)),
        RetryDelay(text: "1m", duration: .seconds(60)), RetryDelay(text: "10m", duration: .seconds(600)),
    ]
}
