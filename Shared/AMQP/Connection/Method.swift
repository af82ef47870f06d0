internal import CRabbitMQ
import Messages

/// What the broker says on a channel, as far as we have to do with it (AMQP 0-9-1 § 1, with RabbitMQ's extensions).
enum Method {
    /// A message follows.
    case deliver(tag: UInt64, isRedelivered: Bool, exchange: String, routingKey: String)
    /// A mandatory message comes back; it follows.
    case returned(exchange: String, routingKey: String)
    /// Publications are confirmed, up to the tag if `upTo`.
    case confirmed(tag: UInt64, upTo: Bool)
    /// Publications are refused.
    case refused(tag: UInt64, upTo: Bool)
    /// The broker ended our consumer: its queue is gone.
    case consumerCancelled
    /// The broker takes no more publications.
    case blocked(reason: String)
    /// It does again.
    case unblocked
    /// The channel is gone, by our fault most often.
    case channelClosed(ClosingReason)
    /// The connection is gone.
    case connectionClosed(ClosingReason)
    /// What was asked for on this channel is done.
    ///
    /// - Parameter messages: how many are ready in the queue that was declared; 0 where none was.
    case done(messages: Int)
    /// Nothing that concerns us.
    case other(UInt32)

    /// Method numbers: class in the upper half, method in the lower. Here, because the library has them as macros with
    /// casts, which Swift does not see.
    enum Number {
        static let connectionClose: UInt32 = 0x000A_0032
        static let connectionCloseOK: UInt32 = 0x000A_0033
        static let connectionBlocked: UInt32 = 0x000A_003C
        static let connectionUnblocked: UInt32 = 0x000A_003D
        static let channelOpen: UInt32 = 0x0014_000A
        static let channelOpenOK: UInt32 = 0x0014_000B
        static let channelClose: UInt32 = 0x0014_0028
        static let channelCloseOK: UInt32 = 0x0014_0029
        static let exchangeDeclare: UInt32 = 0x0028_000A
        static let exchangeDeclareOK: UInt32 = 0x0028_000B
        static let queueDeclare: UInt32 = 0x0032_000A
        static let queueDeclareOK: UInt32 = 0x0032_000B
        static let queueBind: UInt32 = 0x0032_0014
        static let queueBindOK: UInt32 = 0x0032_0015
        static let queueDelete: UInt32 = 0x0032_0028
        static let queueDeleteOK: UInt32 = 0x0032_0029
        static let basicQos: UInt32 = 0x003C_000A
        static let basicQosOK: UInt32 = 0x003C_000B
        static let basicConsume: UInt32 = 0x003C_0014
        static let basicConsumeOK: UInt32 = 0x003C_0015
        static let basicCancel: UInt32 = 0x003C_001E
        static let basicCancelOK: UInt32 = 0x003C_001F
        static let basicReturn: UInt32 = 0x003C_0032
        static let basicDeliver: UInt32 = 0x003C_003C
        static let basicAck: UInt32 = 0x003C_0050
        static let basicNack: UInt32 = 0x003C_0078
        static let confirmSelect: UInt32 = 0x0055_000A
        static let confirmSelectOK: UInt32 = 0x0055_000B
    }

    /// Copies everything out of the library's memory.
    init(copying method: amqp_method_t) {
        func decoded<Value>(_ type: Value.Type) -> Value? {
            method.decoded?.assumingMemoryBound(to: type).pointee
        }
        switch method.id {
        case Number.basicDeliver:
            guard let it = decoded(amqp_basic_deliver_t.self) else { break }
            self = .deliver(
                tag: it.delivery_tag, isRedelivered: it.redelivered != 0, exchange: String(copying: it.exchange),
                routingKey: String(copying: it.routing_key))
            return
        case Number.basicReturn:
            guard let it = decoded(amqp_basic_return_t.self) else { break }
            self = .returned(exchange: String(copying: it.exchange), routingKey: String(copying: it.routing_key))
            return
        case Number.basicAck:
            guard let it = decoded(amqp_basic_ack_t.self) else { break }
            self = .confirmed(tag: it.delivery_tag, upTo: it.multiple != 0)
            return
        case Number.basicNack:
            guard let it = decoded(amqp_basic_nack_t.self) else { break }
            self = .refused(tag: it.delivery_tag, upTo: it.multiple != 0)
            return
        case Number.basicCancel:
            self = .consumerCancelled
            return
        case Number.connectionBlocked:
            guard let it = decoded(amqp_connection_blocked_t.self) else { break }
            self = .blocked(reason: String(copying: it.reason))
            return
        case Number.connectionUnblocked:
            self = .unblocked
            return
        case Number.channelClose:
            guard let it = decoded(amqp_channel_close_t.self) else { break }
            self = .channelClosed(ClosingReason(code: it.reply_code, text: String(copying: it.reply_text)))
            return
        case Number.connectionClose:
            guard let it = decoded(amqp_connection_close_t.self) else { break }
            self = .connectionClosed(ClosingReason(code: it.reply_code, text: String(copying: it.reply_text)))
            return
        case Number.queueDeclareOK:
            self = .done(messages: Int(decoded(amqp_queue_declare_ok_t.self)?.message_count ?? 0))
            return
        case Number.channelOpenOK, Number.channelCloseOK, Number.exchangeDeclareOK, Number.queueBindOK,
            Number.queueDeleteOK, Number.basicQosOK, Number.basicConsumeOK, Number.basicCancelOK,
            Number.confirmSelectOK:
            self = .done(messages: 0)
            return
        default: break
        }
        self = .other(method.id)
    }
}
