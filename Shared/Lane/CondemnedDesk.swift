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
                    for letter in letters { try DeadLetterTable.keep(letter, version: version, in: transaction) }
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
    /// Why it died last (`x-death`, newest first): the ladder is a death too, of old age.
    fileprivate var lastDeath: String? {
        guard case .array(let deaths) = envelope.properties.headers["x-death"], case .table(let newest) = deaths.first
        else { return nil }
        return newest.text("reason")
    }
}
