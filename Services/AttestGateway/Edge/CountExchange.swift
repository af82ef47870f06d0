package import Messages
package import Messaging
package import ServiceKit

/// Tells the other edges once a second what this one has let through, and takes in what they tell (`edge.counts.v1`).
///
/// Neither confirmed nor repeated: a count that is late is worth nothing, and one that is lost is a second's worth.
package struct CountExchange: Service {
    private let limits: CallerLimits
    private let unverifiable: UnverifiableNotifications
    private let publisher: any Publisher
    private let follower: EventFollower
    private let interval: Duration
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let edges: Gauge
    /// To say something: a second has passed, or an edge has come.
    private let occasions: AsyncStream<Void>
    private let occasion: AsyncStream<Void>.Continuation

    /// Apps of which a newcomer is told how many notifications were refused.
    private static let mostRefused = 1_000

    /// - Parameter interval: between two reports.
    package init(
        of limits: CallerLimits, unverifiable: UnverifiableNotifications, broker: any Broker,
        publisher: any Publisher, interval: Duration = .seconds(1), now: @escaping @Sendable () -> Timestamp,
        logger: Logger, metrics: MetricsRegistry
    ) {
        self.limits = limits
        self.unverifiable = unverifiable
        self.publisher = publisher
        self.interval = interval
        self.now = now
        self.logger = logger
        edges = metrics.gauge("tollgate_edges", "Edges that share the limits, this one included, as far as it knows")
        let (occasions, occasion) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.occasions = occasions
        self.occasion = occasion
        follower = EventFollower(
            "counts", broker: broker,
            intakes: [
                EventIntake { (report: EdgeCounts) in
                    let consequence = limits.hear(report)
                    if consequence.isTaught { unverifiable.learn(report.refused ?? [], at: now()) }
                    if consequence.hasToTell { occasion.yield() }
                }
            ], logger: logger, metrics: metrics)
    }

    /// Tells and hears until cancelled.
    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await follower.run() }
            group.addTask { await tick() }
            group.addTask { await tell() }
        }
    }

    private func tick() async {
        while !Task.isCancelled {
            occasion.yield()
            // The time is what is waited for: a report a second.
            try? await Task.sleep(for: interval)
        }
    }

    private func tell() async {
        for await _ in occasions {
            edges.set(limits.edges)
            guard var report = limits.report() else { continue }
            if report.newcomers != nil {
                let refused = unverifiable.today(most: Self.mostRefused, at: now())
                report.refused = refused.isEmpty ? nil : refused
            }
            await send(report)
        }
    }

    private func send(_ report: EdgeCounts) async {
        do {
            let time = now()
            var envelope = Envelope(
                kind: EdgeCounts.kind, id: MessageID(at: time), body: try MessageJSON.encode(report))
            envelope.properties.deliveryMode = 1
            envelope.properties.appID = ServiceName.attestGateway.rawValue
            envelope.properties.timestamp = UInt64(max(0, time.millisecondsSince1970 / 1000))
            envelope.key = report.key
            await publisher.send([
                Publication(envelope, to: .event(EdgeCounts.kind, report.bucket), isMandatory: false)
            ])
        } catch {
            logger.error("counts cannot be written", ["error": .string("\(error)")])
        }
    }
}
