internal import FoundationEssentials
internal import Messages
package import Messaging
package import ServiceKit

/// Takes events on a queue of this edge's own, as long as it runs: after each loss of the connection on a new one.
///
/// What was published while there was no queue is not known here; whoever needs that asks for it each time.
package struct EventFollower: Service {
    /// From a failure to the next try; it doubles up to `longest`.
    package struct Retry: Sendable {
        package var first = Duration.milliseconds(100)
        package var longest = Duration.seconds(5)

        package init() {}
    }

    private let name: String
    private let broker: any Broker
    private let intakes: [MessageKind: EventIntake]
    private let retry: Retry
    private let begin: @Sendable () async throws -> Void
    private let taken: @Sendable () async -> Void
    private let lost: @Sendable () -> Void
    private let logger: Logger
    private let ignored: Counter

    /// - Parameters:
    ///   - name: what is followed.
    ///   - intakes: one for each kind.
    ///   - begin: done when the queue stands and before the first event is taken.
    ///   - taken: done after events have been taken.
    ///   - lost: done when events may be missed from here on.
    package init(
        _ name: String, broker: any Broker, intakes: [EventIntake], retry: Retry = Retry(), logger: Logger,
        metrics: MetricsRegistry, begin: @escaping @Sendable () async throws -> Void = {},
        taken: @escaping @Sendable () async -> Void = {}, lost: @escaping @Sendable () -> Void = {}
    ) {
        self.name = name
        self.broker = broker
        self.intakes = Dictionary(uniqueKeysWithValues: intakes.map { ($0.kind, $0) })
        self.retry = retry
        self.begin = begin
        self.taken = taken
        self.lost = lost
        self.logger = logger
        ignored = metrics.counter(
            "tollgate_edge_events_ignored_total",
            "Events on an edge's queue that were not their owner's or not readable", ["about": name])
    }

    /// Follows until cancelled, whatever the broker does.
    package func run() async throws {
        var delay = retry.first
        while !Task.isCancelled {
            if await followOnce() { delay = retry.first }
            lost()
            // A broker that is away tells nobody when it is back. Cancelled, this returns at once, and the loop ends.
            try? await Task.sleep(for: delay)
            delay = min(delay * 2, retry.longest)
        }
    }

    /// Returns when it has come to an end, by whatever.
    ///
    /// - Returns: whether it had begun.
    private func followOnce() async -> Bool {
        var hasBegun = false
        do {
            let session = try await broker.openSession(named: "\(ServiceName.attestGateway): \(name)")
            do {
                let events = try await subscribe(on: session)
                try await begin()
                hasBegun = true
                while let deliveries = try await events.next(upTo: 256, bytes: 1 << 20) {
                    for delivery in deliveries { take(delivery.envelope) }
                    await events.settle(deliveries, .acknowledge)
                    await taken()
                }
            } catch {
                await session.close()
                throw error
            }
            await session.close()
        } catch is CancellationError {
            return hasBegun
        } catch {
            logger.warning("lost touch with the events", ["about": .string(name), "error": .string("\(error)")])
        }
        return hasBegun
    }

    private func subscribe(on session: any BrokerSession) async throws -> any Subscription {
        // A name of its own each time: the one before may not have vanished yet.
        let queue = "edge.\(ServiceName.attestGateway)-\(UUID().uuidString.lowercased())"
        try await session.declareExclusive(
            queue: queue,
            bindings: intakes.keys.map { Binding(exchange: .events, queue: queue, routingKey: "\($0).*") })
        return try await session.subscribe(to: queue, prefetch: 256)
    }

    private func take(_ event: Envelope) {
        guard let kind = event.kind, let intake = intakes[kind] else { return }
        do {
            try intake.take(event)
        } catch {
            ignored.add()
            logger.error("an event is ignored", ["kind": .string(kind.rawValue), "error": .string("\(error)")])
        }
    }
}
