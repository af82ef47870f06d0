internal import FoundationEssentials
internal import JSON
package import Messages
package import Messaging
package import ServiceKit

/// Keeps an edge's copy of the registry: its own queue first, then a snapshot, then events by version; all of it anew
/// after each loss of the connection.
///
/// In this order nothing is missed: what changes before the snapshot is in it, what changes after is in the queue, and
/// what is in both is older by its version.
package struct RegistryFollower: Service {
    /// How patient it is.
    package struct Timing: Sendable {
        /// How long to wait for the registry before the last known state stands in for it.
        package var patience = Duration.seconds(2)
        /// How long the registry may take to answer.
        package var answer = Duration.seconds(2)
        /// From a failure to the next try; it doubles up to `longestRetry`.
        package var retry = Duration.milliseconds(100)
        package var longestRetry = Duration.seconds(5)

        package init() {}
    }

    private let projection: RegistryProjection
    private let broker: any Broker
    private let ask: Ask<RegistrySnapshot>
    private let file: SnapshotFile?
    private let timing: Timing
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let ignored: Counter

    /// - Parameters:
    ///   - ask: puts a question to the registry.
    ///   - file: where the last known state is kept; nil: nowhere.
    package init(
        _ projection: RegistryProjection, broker: any Broker, ask: @escaping Ask<RegistrySnapshot>,
        file: SnapshotFile?, timing: Timing = Timing(), now: @escaping @Sendable () -> Timestamp = { .now },
        logger: Logger, metrics: MetricsRegistry
    ) {
        self.projection = projection
        self.broker = broker
        self.ask = ask
        self.file = file
        self.timing = timing
        self.now = now
        self.logger = logger
        ignored = metrics.counter(
            "tollgate_registry_events_ignored_total",
            "Events on the edge's queue that were not the registry's or not readable")
    }

    /// Follows the registry until cancelled, whatever the broker does.
    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await standIn() }
            group.addTask { await follow() }
        }
    }

    private func standIn() async {
        guard let file, (try? await Task.sleep(for: timing.patience)) != nil, projection.standing == .empty
        else { return }
        do {
            guard let snapshot = try await file.load(), projection.standIn(snapshot) else { return }
            logger.warning(
                "no registry answers: serving its last known state", ["version": .integer(snapshot.version)])
        } catch {
            logger.error("the registry's last known state cannot be read", ["error": .string("\(error)")])
        }
    }

    private func follow() async {
        var delay = timing.retry
        while !Task.isCancelled {
            do {
                try await followOnce()
            } catch is CancellationError {
                break
            } catch {
                logger.warning("lost touch with the registry", ["error": .string("\(error)")])
            }
            if projection.standing == .fresh { delay = timing.retry }
            projection.lostTouch()
            try? await Task.sleep(for: delay)
            delay = min(delay * 2, timing.longestRetry)
        }
        projection.lostTouch()
    }

    /// Returns when the broker ends the subscription.
    private func followOnce() async throws {
        let session = try await broker.openSession(named: "attest-gateway: registry")
        do {
            try await follow(on: session)
        } catch {
            await session.close()
            throw error
        }
        await session.close()
    }

    private func follow(on session: any BrokerSession) async throws {
        // A name of its own each time: the one before may not have vanished yet.
        let queue = "edge.\(ServiceName.attestGateway)-\(UUID().uuidString.lowercased())"
        try await session.declareExclusive(
            queue: queue,
            bindings: [AppChanged.kind, KeyChanged.kind].map {
                Binding(exchange: .events, queue: queue, routingKey: "\($0).*")
            })
        let events = try await session.subscribe(to: queue, prefetch: 256)
        let snapshot = try await askUntilAnswered()
        projection.begin(with: snapshot)
        logger.info("following the registry", ["version": .integer(snapshot.version)])
        await save()
        while let deliveries = try await events.next(upTo: 256, bytes: 1 << 20) {
            let news = deliveries.filter(take)
            await events.settle(deliveries, .acknowledge)
            if !news.isEmpty { await save() }
        }
    }

    private func askUntilAnswered() async throws -> RegistrySnapshot.Value {
        var delay = timing.retry
        var isLogged = false
        while true {
            do {
                switch try await ask(RegistrySnapshot(), timing.answer) {
                case .applied(let snapshot): return snapshot
                case .refused(let refusal), .failed(let refusal): throw refusal
                }
            } catch {
                try Task.checkCancellation()
                if !isLogged { logger.warning("the registry does not answer", ["error": .string("\(error)")]) }
                isLogged = true
            }
            try await Task.sleep(for: delay)
            delay = min(delay * 2, timing.longestRetry)
        }
    }

    /// - Returns: whether it was news.
    private func take(_ delivery: Delivery) -> Bool {
        let envelope = delivery.envelope
        do {
            // Whoever could make an edge believe in a key could read every user.
            guard envelope.properties.userID == AppChanged.owner.rawValue else {
                throw MessageFault.forever(.notFromOwner, "published by \(envelope.properties.userID ?? "nobody")")
            }
            switch envelope.kind {
            case AppChanged.kind:
                return projection.take(try JSONCoding.decode(AppChanged.self, from: envelope.body).record)
            case KeyChanged.kind:
                return projection.take(try JSONCoding.decode(KeyChanged.self, from: envelope.body).record)
            default: return false
            }
        } catch {
            ignored.add()
            logger.error(
                "an event of the registry is ignored",
                ["kind": .string(envelope.kind?.rawValue ?? ""), "error": .string("\(error)")])
            return false
        }
    }

    private func save() async {
        guard let file, let snapshot = projection.snapshot else { return }
        do {
            try await file.save(snapshot, at: now())
        } catch {
            logger.warning("the registry's state cannot be kept on disk", ["error": .string("\(error)")])
        }
    }
}
