internal import Messages
internal import Messaging
internal import ServiceKit
internal import SQLite

/// Moves what the broker has condemned, and what strangers put beside it, undecoded into the dead letters.
struct CondemnedDesk: Sendable {
    let lane: Lane

    func run(_ subscription: any Subscription) async throws {
        while let deliveries = try await subscription.next(upTo: 16, bytes: 8 << 20) {
            do {
                let now = lane.clock()
                let letters = deliveries.map { letter($0, at: now) }
                try await lane.database.write { [version = lane.writer.version] transaction in
                    for letter in letters {
                        try DeadLetterTable.keep(letter, version: version, in: transaction)
                        try Self.noteNumber(of: letter, in: transaction)
                    }
                }
                await subscription.settle(deliveries, .acknowledge)
                letters.forEach { _ in lane.measures.count(.dead) }
            } catch {
                // Ours: they wait where they are.
                lane.logger.warning("condemned messages wait", ["error": .string(String(reflecting: error))])
                await lane.stop.sleep(for: .seconds(1))
                await subscription.settle(deliveries, .giveBack)
            }
        }
    }

    /// No lane may ever have seen it: its number has arrived here.
    private static func noteNumber(of letter: DeadLetter, in transaction: borrowing Transaction) throws {
        guard let number = SeenNumbers.number(of: letter.delivery.envelope),
            let routingKey = letter.delivery.firstRoutingKey
        else { return }
        try transaction.run(
            """
            INSERT INTO numbers (publisher, routing_key, first, last, bucket, seen_at) VALUES (?, ?, ?3, ?3, ?4, ?5)
            ON CONFLICT DO NOTHING
            """,
            .text(number.publisher.rawValue), .text(routingKey), SQLValue(number.number),
            SQLValue(SeenNumbers.bucket(of: routingKey).number), SQLValue(letter.at))
    }

    private func letter(_ delivery: Delivery, at now: Timestamp) -> DeadLetter {
        let named = IncomingMessage(delivery, at: now, in: lane.address, handlers: HandlerTable())
        let why = delivery.lastDeath ?? "put there by its publisher"
        return DeadLetter(
            id: named.context.id, bucket: named.context.bucket,
            fault: .forever(.condemned, "The broker gave it up: \(why)"), step: "delivery", delivery: delivery,
            firstFailure: named.firstFailure, at: now)
    }
}

extension Delivery {
    /// `x-death`, newest first: the ladder is a death too, of old age.
    private var deaths: [HeaderTable] {
        guard case .array(let deaths) = envelope.properties.headers["x-death"] else { return [] }
        return deaths.compactMap { if case .table(let death) = $0 { death } else { nil } }
    }

    /// Why it died last.
    fileprivate var lastDeath: String? { deaths.first?.text("reason") }

    /// Under which routing key it was published at first, where that was as a command or an event.
    fileprivate var firstRoutingKey: String? {
        guard let oldest = deaths.last, let exchange = oldest.text("exchange").flatMap(Exchange.init(rawValue:)),
            exchange.isNumbered, case .array(let keys) = oldest["routing-keys"], case .text(let key) = keys.first
        else { return nil }
        return key
    }
}
