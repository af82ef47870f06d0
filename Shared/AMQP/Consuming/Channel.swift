import Messages
import Messaging

/// What the owner of a connection remembers of one channel.
struct Channel {
    /// Asked, and not answered: answers come in the order of the questions.
    struct Question {
        let subject: String
        let deadline: ContinuousClock.Instant
        /// Gets what ``Method/done(messages:)`` says; absent where only a later answer matters, or the failure.
        let whenAnswered: (@Sendable (Result<Int, BrokerError>) -> Void)?
    }

    /// Set on a channel that consumes.
    struct Consumer {
        let buffer: DeliveryBuffer
        let tag: String
        var ledger = SettlementLedger()
        /// Begun by a `basic.deliver`, its content follows.
        var coming: (tag: UInt64, isRedelivered: Bool, exchange: String, routingKey: String)?
        var assembler = ContentAssembler()
        /// Whole, not yet handed over.
        var arrived: [Delivery] = []
        var isCancelled = false
    }

    var questions = FIFO<Question>()
    var consumer: Consumer?

    /// Everything ends: who asked and who consumes are told.
    mutating func fail(_ error: BrokerError) {
        for question in questions.takeAll() { question.whenAnswered?(.failure(error)) }
        consumer?.buffer.lost(error)
    }

    /// Hands over what has come in.
    mutating func handOver() {
        guard var consumer, !consumer.arrived.isEmpty else { return }
        consumer.buffer.append(consumer.arrived)
        consumer.arrived.removeAll(keepingCapacity: true)
        self.consumer = consumer
    }
}
