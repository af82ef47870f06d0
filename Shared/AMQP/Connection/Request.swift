internal import CRabbitMQ
import Messages

/// What we say to the broker, publications excepted.
enum Request: Sendable {
    case openChannel
    case closeChannel
    case confirmChannelClosed
    case confirmConnectionClosed
    case selectConfirms
    case declareExchange(name: String, type: String)
    case declareQueue(QueueDeclaration)
    case declareExclusiveQueue(String)
    /// A passive declaration: changes nothing, and tells how many messages are ready.
    case lookAtQueue(String)
    case deleteQueue(String)
    case bind(Binding)
    case prefetch(UInt16)
    case consume(queue: String, tag: String)
    case cancel(tag: String)
    case acknowledge(tag: UInt64, upTo: Bool)
    case giveBack(tag: UInt64, upTo: Bool)

    /// The queue or exchange it is about, for errors.
    var subject: String {
        switch self {
        case .declareExchange(let name, _): "exchange \(name)"
        case .declareQueue(let declaration): "queue \(declaration.name)"
        case .declareExclusiveQueue(let name), .lookAtQueue(let name), .deleteQueue(let name), .consume(let name, _):
            "queue \(name)"
        case .bind(let binding): "binding of \(binding.queue) to \(binding.exchange.rawValue) by \(binding.routingKey)"
        case .cancel(let tag): "consumer \(tag)"
        default: "channel"
        }
    }
}

extension Request {
    /// Lends the method's number and its arguments; they are good until `body` returns.
    func withMethod<Value>(
        _ encoder: inout PropertyEncoder, _ body: (UInt32, UnsafeMutableRawPointer) -> Value
    ) -> Value {
        func lend<Arguments>(_ number: UInt32, _ arguments: Arguments) -> Value {
            var arguments = arguments
            return withUnsafeMutablePointer(to: &arguments) { body(number, UnsafeMutableRawPointer($0)) }
        }
        switch self {
        case .openChannel: return lend(Method.Number.channelOpen, amqp_channel_open_t())
        case .closeChannel:
            var arguments = amqp_channel_close_t()
            arguments.reply_code = UInt16(AMQP_REPLY_SUCCESS)
            return lend(Method.Number.channelClose, arguments)
        case .confirmChannelClosed: return lend(Method.Number.channelCloseOK, amqp_channel_close_ok_t())
        case .confirmConnectionClosed: return lend(Method.Number.connectionCloseOK, amqp_connection_close_ok_t())
        case .selectConfirms: return lend(Method.Number.confirmSelect, amqp_confirm_select_t())
        case .declareExchange(let name, let type):
            var arguments = amqp_exchange_declare_t()
            arguments.exchange = encoder.bytes(name)
            arguments.type = encoder.bytes(type)
            arguments.durable = 1
            return lend(Method.Number.exchangeDeclare, arguments)
        case .declareQueue(let declaration):
            var arguments = amqp_queue_declare_t()
            arguments.queue = encoder.bytes(declaration.name)
            arguments.durable = 1
            arguments.arguments = encoder.table(HeaderTable(declaration))
            return lend(Method.Number.queueDeclare, arguments)
        case .declareExclusiveQueue(let name):
            var arguments = amqp_queue_declare_t()
            arguments.queue = encoder.bytes(name)
            arguments.exclusive = 1
            return lend(Method.Number.queueDeclare, arguments)
        case .lookAtQueue(let name):
            var arguments = amqp_queue_declare_t()
            arguments.queue = encoder.bytes(name)
            arguments.passive = 1
            return lend(Method.Number.queueDeclare, arguments)
        case .deleteQueue(let name):
            var arguments = amqp_queue_delete_t()
            arguments.queue = encoder.bytes(name)
            return lend(Method.Number.queueDelete, arguments)
        case .bind(let binding):
            var arguments = amqp_queue_bind_t()
            arguments.queue = encoder.bytes(binding.queue)
            arguments.exchange = encoder.bytes(binding.exchange.rawValue)
            arguments.routing_key = encoder.bytes(binding.routingKey)
            return lend(Method.Number.queueBind, arguments)
        case .prefetch(let count):
            var arguments = amqp_basic_qos_t()
            arguments.prefetch_count = count
            return lend(Method.Number.basicQos, arguments)
        case .consume(let queue, let tag):
            var arguments = amqp_basic_consume_t()
            arguments.queue = encoder.bytes(queue)
            arguments.consumer_tag = encoder.bytes(tag)
            return lend(Method.Number.basicConsume, arguments)
        case .cancel(let tag):
            var arguments = amqp_basic_cancel_t()
            arguments.consumer_tag = encoder.bytes(tag)
            return lend(Method.Number.basicCancel, arguments)
        case .acknowledge(let tag, let upTo):
            return lend(Method.Number.basicAck, amqp_basic_ack_t(delivery_tag: tag, multiple: upTo ? 1 : 0))
        case .giveBack(let tag, let upTo):
            let arguments = amqp_basic_nack_t(delivery_tag: tag, multiple: upTo ? 1 : 0, requeue: 1)
            return lend(Method.Number.basicNack, arguments)
        }
    }
}

extension HeaderTable {
    /// A queue's arguments, by name.
    init(_ declaration: QueueDeclaration) {
        self.init(
            declaration.arguments.sorted { $0.key < $1.key }.map { name, argument in
                switch argument {
                case .text(let text): Entry(name: name, value: .text(text))
                case .integer(let number): Entry(name: name, value: .int64(Int64(number)))
                case .flag(let flag): Entry(name: name, value: .boolean(flag))
                }
            })
    }
}
