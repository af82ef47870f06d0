import Messages

/// A queue of the broker in memory, with what a quorum queue does to a message that comes back.
struct InMemoryQueue {
    struct Message {
        var envelope: Envelope
        var exchange: String
        var routingKey: String
        /// Orders messages of one queue; kept when a message comes back.
        var number: Int
        /// How often it has come back.
        var returns = 0
        /// On the broker's own clock; nil: never.
        var expiresAt: Duration?
    }

    let name: String
    let arguments: [String: QueueDeclaration.Argument]
    /// The session that alone may use it; nil: durable.
    let owner: Int?
    /// In the order in which they are delivered.
    var ready: [Message] = []
    /// In the order in which they subscribed.
    var consumers: [Int] = []

    var isQuorum: Bool { arguments["x-queue-type"] == .text("quorum") }
    var hasSingleActiveConsumer: Bool { arguments["x-single-active-consumer"] == .flag(true) }
    var deliveryLimit: Int? { integer("x-delivery-limit") }
    var timeToLive: Duration? { integer("x-message-ttl").map { .milliseconds($0) } }

    /// Where to and under which key a message goes that dies here.
    func deadLetterRoute(of message: Message) -> (exchange: String, routingKey: String)? {
        guard case .text(let exchange) = arguments["x-dead-letter-exchange"] else { return nil }
        guard case .text(let key) = arguments["x-dead-letter-routing-key"] else {
            return (exchange, message.routingKey)
        }
        return (exchange, key)
    }

    /// Puts a message back where it was; it is delivered before what came later.
    mutating func putBack(_ message: Message) {
        let index = ready.firstIndex { $0.number > message.number } ?? ready.endIndex
        ready.insert(message, at: index)
    }

    /// The message as it is delivered: quorum queues count what comes back.
    func delivered(_ message: Message) -> Envelope {
        guard isQuorum, message.returns > 0 else { return message.envelope }
        var envelope = message.envelope
        envelope.properties.headers["x-delivery-count"] = .int64(Int64(message.returns))
        return envelope
    }

    /// The message as its dead letter (rabbitmq.com/dlx.html).
    func dead(_ message: Message, reason: String) -> Envelope {
        var envelope = message.envelope
        var deaths: [HeaderValue] = []
        if case .array(let earlier) = envelope.properties.headers["x-death"] { deaths = earlier }
        var count: Int64 = 1
        deaths.removeAll { death in
            guard case .table(let table) = death, table.text("queue") == name, table.text("reason") == reason else {
                return false
            }
            count = Int64(table.integer("count") ?? 0) + 1
            return true
        }
        let death = HeaderTable([
            HeaderTable.Entry(name: "count", value: .int64(count)),
            HeaderTable.Entry(name: "reason", value: .text(reason)),
            HeaderTable.Entry(name: "queue", value: .text(name)),
            HeaderTable.Entry(name: "exchange", value: .text(message.exchange)),
            HeaderTable.Entry(name: "routing-keys", value: .array([.text(message.routingKey)])),
        ])
        envelope.properties.headers["x-death"] = .array([.table(death)] + deaths)
        if envelope.properties.headers["x-first-death-queue"] == nil {
            envelope.properties.headers["x-first-death-exchange"] = .text(message.exchange)
            envelope.properties.headers["x-first-death-queue"] = .text(name)
            envelope.properties.headers["x-first-death-reason"] = .text(reason)
        }
        return envelope
    }

    private func integer(_ name: String) -> Int? {
        guard case .integer(let number) = arguments[name] else { return nil }
        return number
    }
}
