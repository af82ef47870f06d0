import Messages
import Messaging

/// What the owner of a connection remembers of one channel. Classes, because every frame changes them in place.
final class Channel {
    /// Asked, and not answered: answers come in the order of the questions.
    struct Question {
        let subject: String
        let deadline: ContinuousClock.Instant
        /// Gets what ``Method/done(messages:)`` says; absent where only a later answer matters, or the failure.
        let whenAnswered: (@Sendable (Result<Int, BrokerError>) -> Void)?
    }

    /// Set on a channel that consumes.
    final class Consumer {
        let buffer: DeliveryBuffer
        let tag: String
        var ledger = SettlementLedger()
        /// Begun by a `basic.deliver`, its content follows.
        var coming: (tag: UInt64, isRedelivered: Bool, exchange: String, routingKey: String)?
        var assembler = ContentAssembler()
        /// Whole, not yet handed over.
        var arrived: [Delivery] = []
        var isCancelled = false

        init(buffer: DeliveryBuffer, tag: String) {
            self.buffer = buffer
            self.tag = tag
        }

        /// A message is whole.
        func delivered(_ envelope: Envelope) {
            guard let coming else { return }
            self.coming = nil
            ledger.delivered(coming.tag)
            arrived.append(
                Delivery(
                    tag: coming.tag, envelope: envelope, exchange: coming.exchange, routingKey: coming.routingKey,
                    isRedelivered: coming.isRedelivered))
        }

        /// Hands over what has come in.
        func handOver() {
            guard !arrived.isEmpty else { return }
            buffer.append(arrived)
            arrived.removeAll(keepingCapacity: true)
        }
    }

    var questions = FIFO<Question>()
    let consumer: Consumer?

    init(consumer: Consumer? = nil) { self.consumer = consumer }

    /// Everything ends: who asked and who consumes are told.
    func fail(_ error: BrokerError) {
        for question in questions.takeAll() { question.whenAnswered?(.failure(error)) }
        consumer?.buffer.lost(error)
    }
}
