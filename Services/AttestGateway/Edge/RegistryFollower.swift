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
        /// From a failure to the next try.
        package var retry = EventFollower.Retry()

        package init() {}
    }

    private let projection: RegistryProjection
    private let events: EventFollower
    private let file: SnapshotFile?
    private let keeper: SnapshotKeeper?
    private let timing: Timing
    private let logger: Logger

    /// - Parameters:
    ///   - ask: puts a question to the registry.
    ///   - file: where the last known state is kept; nil: nowhere.
    package init(
        _ projection: RegistryProjection, broker: any Broker, ask: @escaping Ask<RegistrySnapshot>,
        file: SnapshotFile?, timing: Timing = Timing(), now: @escaping @Sendable () -> Timestamp = { .now },
        logger: Logger, metrics: MetricsRegistry
    ) {
        self.projection = projection
        self.file = file
        self.timing = timing
        self.logger = logger
        let keeper = file.map { SnapshotKeeper(projection, file: $0, now: now, logger: logger) }
        self.keeper = keeper
        events = EventFollower(
            "registry", broker: broker,
            intakes: [
                EventIntake { (event: AppChanged) in projection.take(event.record) },
                EventIntake { (event: KeyChanged) in projection.take(event.record) },
                EventIntake { (event: DeviceAttested) in projection.take(event.device) },
                EventIntake { (event: DeviceRevoked) in projection.take(event.device) },
            ], retry: timing.retry, logger: logger, metrics: metrics
        ) {
            let snapshot = try await Self.askUntilAnswered(ask, timing, logger)
            projection.begin(with: snapshot)
            logger.info("following the registry", ["version": .integer(snapshot.version)])
            keeper?.wake()
        } taken: {
            keeper?.wake()
        } lost: {
            projection.lostTouch()
        }
    }

    /// Follows the registry until cancelled, whatever the broker does.
    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await standIn() }
            group.addTask { try? await events.run() }
            group.addTask { await keeper?.run() }
        }
    }

    private func standIn() async {
        // The time is what is waited for: so long a registry may take before its last known state stands in.
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

    private static func askUntilAnswered(
        _ ask: Ask<RegistrySnapshot>, _ timing: Timing, _ logger: Logger
    ) async throws -> RegistrySnapshot.Value {
        var delay = timing.retry.first
        var isLogged = false
        while true {
            do {
                return try await whole(ask, timing)
            } catch {
                try Task.checkCancellation()
                if !isLogged { logger.warning("the registry does not answer", ["error": .string("\(error)")]) }
                isLogged = true
            }
            // Nothing says when there is somebody again who answers: asked less and less often.
            try await Task.sleep(for: delay)
            delay = min(delay * 2, timing.retry.longest)
        }
    }

    /// All of it: devices come in portions. What changes between two of them is in the queue.
    private static func whole(
        _ ask: Ask<RegistrySnapshot>, _ timing: Timing
    ) async throws -> RegistrySnapshot.Value {
        func answer(to query: RegistrySnapshot) async throws -> RegistrySnapshot.Value {
            switch try await ask(query, timing.answer) {
            case .applied(let snapshot): return snapshot
            case .refused(let refusal), .failed(let refusal): throw refusal
            }
        }
        var snapshot = try await answer(to: RegistrySnapshot())
        while let place = snapshot.devicesNext {
            let more = try await answer(to: RegistrySnapshot(devicesAfter: place))
            guard more.devicesNext != place else { throw Refusal("circle", "The registry goes round in circles") }
            snapshot.devices = (snapshot.devices ?? []) + (more.devices ?? [])
            snapshot.devicesNext = more.devicesNext
        }
        return snapshot
    }
}

/// Keeps the edge's copy of the registry on disk, while events go on: a large one takes its time.
private struct SnapshotKeeper: Service {
    private let projection: RegistryProjection
    private let file: SnapshotFile
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    // However much comes while one is written, it is one more that has to be.
    private let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(
        _ projection: RegistryProjection, file: SnapshotFile, now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.projection = projection
        self.file = file
        self.now = now
        self.logger = logger
    }

    /// There may be something to keep.
    func wake() { wakes.continuation.yield() }

    /// Keeps what is newer than what it has kept; one counter numbers all changes of the registry.
    func run() async {
        var saved: Int?
        for await _ in wakes.stream {
            guard let snapshot = projection.snapshot, snapshot.version != saved else { continue }
            do {
                try await file.save(snapshot, at: now())
                saved = snapshot.version
            } catch {
                logger.warning("the registry's state cannot be kept on disk", ["error": .string("\(error)")])
            }
        }
    }
}
