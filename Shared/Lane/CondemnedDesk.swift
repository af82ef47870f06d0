internal import Messages
internal import Messaging
internal import ServiceKit
internal import SQLite

/// Moves what the broker has condemned, and what strangers put beside it, undecoded into the dead letters: of the partition
/// on whose queue it was condemned, which knows the selection that it may have been replayed from.
struct CondemnedDesk: Sendable {
    let lane: Lane

    /// The copies for other partitions are not with the broker.
    private struct NotPassedOn: Error {
        let outcome: PublishOutcome
    }

    func run(_ subscription: any Subscription) async throws {
        while let deliveries = try await subscription.next(upTo: 16, bytes: 8 << 20) {
            do {
                try await take(deliveries)
                await subscription.settle(deliveries, .acknowledge)
            } catch {
                // Ours: they wait where they are.
                lane.logger.warning("condemned messages wait", ["error": .string(String(reflecting: error))])
                await lane.stop.sleep(for: .seconds(1))
                await subscription.settle(deliveries, .giveBack)
            }
        }
    }

    private func take(_ deliveries: [Delivery]) async throws {
        let now = lane.clock()
        let passedOn = try await passOn(deliveries)
        let kept = deliveries.indices.filter { !passedOn.contains($0) }.map { index in
            let named = IncomingMessage(deliveries[index], at: now, in: lane.address, handlers: HandlerTable())
            return (named: named, letter: letter(of: named))
        }
        try await lane.database.write { [version = lane.writer.version] transaction in
            for delivery in deliveries { try Self.noteNumber(of: delivery, at: now, in: transaction) }
            var notes = ReplayNotes()
            for (named, letter) in kept {
                try DeadLetterTable.keep(letter, version: version, in: transaction)
                notes.add(.failed, Refusal(letter.fault), of: named)
            }
            try notes.save(in: transaction)
        }
        kept.forEach { _ in lane.measures.count(.dead) }
    }

    /// Passes on what was condemned on the queue of another partition: that one buries it unopened.
    ///
    /// - Returns: the positions of those that have gone; what fits into no frame any more stays here.
    private func passOn(_ deliveries: [Delivery]) async throws -> Set<Int> {
        let service = lane.address.service
        let copies = deliveries.enumerated().compactMap { index, delivery -> (index: Int, copy: Publication)? in
            guard let partition = delivery.condemnedPartition(of: lane.address), partition != lane.address.number
            else { return nil }
            var copy = delivery.envelope.reissued(by: service)
            copy.condemned = delivery.whyCondemned
            return (index, Publication(copy, to: .requeue(service, partition: partition), isMandatory: true))
        }
        guard !copies.isEmpty else { return [] }
        let outcomes = await lane.publisher.republish(copies.map(\.copy), deadline: .now + .seconds(10))
        if let outcome = outcomes.first(where: { $0 != .confirmed && $0 != .notSent(.unsendable) }) {
            throw NotPassedOn(outcome: outcome)
        }
        return Set(zip(copies, outcomes).filter { $1 == .confirmed }.map(\.0.index))
    }

    /// No lane may ever have seen it: its number has arrived here.
    private static func noteNumber(of delivery: Delivery, at now: Timestamp, in transaction: borrowing Transaction)
        throws
    {
        guard let number = SeenNumbers.number(of: delivery.envelope), let routingKey = delivery.firstRoutingKey
        else { return }
        try transaction.run(
            """
            INSERT INTO numbers (publisher, routing_key, first, last, bucket, seen_at) VALUES (?, ?, ?3, ?3, ?4, ?5)
            ON CONFLICT DO NOTHING
            """,
            .text(number.publisher.rawValue), .text(routingKey), SQLValue(number.number),
            SQLValue(SeenNumbers.bucket(of: routingKey).number), SQLValue(now))
    }

    private func letter(of named: IncomingMessage) -> DeadLetter {
        DeadLetter(
            id: named.context.id, bucket: named.context.bucket,
            fault: .condemned(named.delivery.whyCondemned), step: IncomingMessage.deliveryStep,
            delivery: named.delivery, firstFailure: named.firstFailure, at: named.context.now,
            generation: named.generation)
    }
}

extension MessageFault {
    /// The broker gave it up.
    static func condemned(_ why: String) -> MessageFault { .forever(.condemned, "The broker gave it up: \(why)") }
}

extension Delivery {
    /// `x-death`, newest first: the ladder is a death too, of old age.
    private var deaths: [HeaderTable] {
        guard case .array(let deaths) = envelope.properties.headers["x-death"] else { return [] }
        return deaths.compactMap { if case .table(let death) = $0 { death } else { nil } }
    }

    /// Why it died last.
    fileprivate var whyCondemned: String { deaths.first?.text("reason") ?? "put there by its publisher" }

    /// On the queue of which partition of the service it died last; nil: of none.
    fileprivate func condemnedPartition(of address: PartitionAddress) -> Int? {
        let queue = deaths.first?.text("queue")
        return (0..<address.count.rawValue).first { QueueDeclaration.partition(address.service, $0).name == queue }
    }

    /// Under which routing key it was published at first, where that was as a command or an event.
    fileprivate var firstRoutingKey: String? {
        guard let oldest = deaths.last, let exchange = oldest.text("exchange").flatMap(Exchange.init(rawValue:)),
            exchange.isNumbered, case .array(let keys) = oldest["routing-keys"], case .text(let key) = keys.first
        else { return nil }
        return key
    }
}
