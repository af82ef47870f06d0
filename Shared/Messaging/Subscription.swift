public import Messages

/// A message that has come in and has to be settled.
public struct Delivery: Sendable, Hashable {
    /// Names it towards the broker, for its subscription alone.
    public var tag: UInt64
    /// The message.
    public var envelope: Envelope
    /// The exchange's name, through which it came at last.
    public var exchange: String
    /// The routing key, under which it came at last.
    public var routingKey: String
    /// The broker has delivered it before.
    public var isRedelivered: Bool

    /// A delivery of these.
    public init(tag: UInt64, envelope: Envelope, exchange: String, routingKey: String, isRedelivered: Bool) {
        self.tag = tag
        self.envelope = envelope
        self.exchange = exchange
        self.routingKey = routingKey
        self.isRedelivered = isRedelivered
    }

    /// How often the broker has got it back (`x-delivery-count` of quorum queues), 0 at first: then the header, which the
    /// broker writes only later, is its publisher's.
    public var deliveryCount: Int {
        isRedelivered ? max(0, envelope.properties.headers.integer("x-delivery-count") ?? 0) : 0
    }

    /// About how much memory it holds, in bytes.
    public var size: Int { envelope.body.count + 512 }
}

/// What is said to the broker about a delivery.
public enum Settlement: Sendable, Hashable {
    /// Its effect is stored: the broker may forget it.
    case acknowledge
    /// Nothing was done: the broker delivers it again, to whoever consumes.
    case giveBack
}

/// The deliveries of one queue, to one consumer.
public protocol Subscription: Sendable {
    /// What has arrived, up to `count` messages and about `bytes` bytes (at least one message), without waiting for
    /// more; suspends while nothing has. Nil when it was cancelled, by either side, and all has been handed out.
    ///
    /// - Throws: ``BrokerError/disconnected(_:)`` when the connection died: what is unsettled comes again.
    func next(upTo count: Int, bytes: Int) async throws(BrokerError) -> [Delivery]?

    /// Settles deliveries. On a dead connection it does nothing: what was not settled comes again.
    func settle(_ deliveries: [Delivery], _ settlement: Settlement) async

    /// Asks the broker to send no more. What has been delivered still comes out of ``next(upTo:bytes:)``.
    func cancel() async
}
