internal import JSON
internal import Messages
internal import Messaging
internal import ServiceKit
internal import SQLite

/// One partition at work: owns it, consumes it, answers its queries, rings its alarms, publishes its outbox.
///
/// Owner is who holds both the lock on the store (held since the store was opened) and the exclusive queue of queries,
/// taken here before anything is consumed; when the connection goes, so does the ownership, and all begins again.
final class Partition: Service {
    private let lane: Lane
    private let broker: any Broker
    private let topology: Topology
    private let queries: QueryDesk
    private let startedAt = ContinuousClock.now

    private var address: PartitionAddress { lane.address }
    private var state: PartitionState { lane.patience.state }
    private var stop: StopRequest { lane.stop }

    init(lane: Lane, broker: any Broker, topology: Topology) {
        self.lane = lane
        self.broker = broker
        self.topology = topology
        queries = QueryDesk(lane: lane)
    }

    /// Works until cancelled; then takes no more, finishes what it has in hand, and returns.
    func run() async throws {
        // Not cancelled with this task: what is in hand has to be finished.
        let work = Task { await self.work() }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            stop.request()
        }
        // Empties the write-ahead log: a partition is moved by moving its file.
        await lane.database.close()
    }

    private func work() async {
        var wait = Duration.milliseconds(50)
        while !stop.isRequested {
            let phase: PartitionState.Phase
            do {
                try await probeStore()
                try await own()
                wait = .milliseconds(50)
                continue
            } catch let error as BrokerError {
                switch error {
                case .ownedElsewhere:
                    phase = .standby
                    wait = .milliseconds(500)
                case .differs, .notAllowed, .missing:
                    phase = .misdeclared("\(error)")
                    wait = .seconds(5)
                default: phase = .disconnected("\(error)")
                }
            } catch is Patience.Exhausted {
                phase = .paused("Store or broker took nothing for too long; the messages went back to the broker")
            } catch {
                phase = .paused("\(error)")
            }
            if state.current != phase {
                lane.logger.warning(
                    "not consuming",
                    ["partition": .string(address.description), "reason": .string(phase.complaint ?? "")])
            }
            state.set(phase)
            await stop.sleep(for: wait)
            // While the whole installation starts the broker may be a second behind; later there is no hurry.
            wait = min(wait * 2, .now - startedAt < .seconds(60) ? .milliseconds(500) : .seconds(5))
        }
        state.set(.stopped)
    }

    /// Whether the store takes writes; nothing is taken from the broker before it does.
    private func probeStore() async throws {
        let now = lane.clock()
        _ = try await lane.database.write { transaction in
            try transaction.run(
                "INSERT INTO probes (id, bucket, written_at) VALUES (1, 0, ?) ON CONFLICT DO UPDATE SET written_at = excluded.written_at",
                SQLValue(now))
        }
    }

    /// Takes ownership and works until the subscription ends, because of a stop or of the broker.
    private func own() async throws {
        let session = try await broker.openSession(named: address.description)
        do {
            try await session.declare(topology)
            let transient = Topology.queries(address.service, address.number, of: address.count)
            try await session.declareExclusive(queue: transient.queue, bindings: transient.bindings)
            let subscriptions = Subscriptions(
                messages: try await session.subscribe(
                    to: QueueDeclaration.partition(address.service, address.number).name,
                    prefetch: lane.limits.prefetch),
                queries: try await session.subscribe(to: transient.queue, prefetch: 256),
                condemned: address.number == 0
                    ? try await session.subscribe(to: QueueDeclaration.dead(address.service).name, prefetch: 16) : nil)
            state.set(.consuming)
            lane.measures.consuming.set(1)
            lane.logger.info("consuming", ["partition": .string(address.description)])
            defer { lane.measures.consuming.set(0) }
            try await serve(subscriptions)
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }

    private struct Subscriptions: Sendable {
        let messages: any Subscription
        let queries: any Subscription
        let condemned: (any Subscription)?

        /// Without one of them there is no reason to go on with the others: what has arrived is finished, then they end.
        func cancel() async {
            await messages.cancel()
            await queries.cancel()
            await condemned?.cancel()
        }
    }

    private func serve(_ subscriptions: Subscriptions) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.lane.outbox.run() }
            group.addTask { await AlarmClock(lane: self.lane).run() }
            group.addTask { await Upkeep(lane: self.lane).run() }
            group.addTask { await Accounting(lane: self.lane).run() }
            group.addTask {
                await self.stop.wait()
                // The queries last as long as there is work.
                await subscriptions.condemned?.cancel()
                await subscriptions.messages.cancel()
            }
            defer { group.cancelAll() }
            try await consume(subscriptions)
            if stop.isRequested { await lane.outbox.drain(until: .now + .seconds(2)) }
        }
    }

    /// Works until the subscriptions have ended: on a stop, when the connection died, or when the broker took one of the
    /// queues away, and the ownership with it.
    private func consume(_ subscriptions: Subscriptions) async throws {
        // An error of one does not cancel the others: the lane may have something in hand.
        let first = await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask { [lane] in
                await outcome {
                    try await lane.run(subscriptions.messages)
                } then: {
                    await subscriptions.cancel()
                }
            }
            group.addTask { [queries] in
                await outcome {
                    try await queries.run(subscriptions.queries)
                } then: {
                    await subscriptions.cancel()
                }
            }
            if let condemned = subscriptions.condemned {
                group.addTask { [lane, stop] in
                    await outcome {
                        try await CondemnedDesk(lane: lane).run(condemned)
                    } then: {
                        // They end before the messages do when all is to stop.
                        if !stop.isRequested { await subscriptions.cancel() }
                    }
                }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        if let first { throw first }
    }
}

/// What `body` threw, once `then` has been done.
private func outcome(of body: () async throws -> Void, then: () async -> Void) async -> (any Error)? {
    let error: (any Error)?
    do {
        try await body()
        error = nil
    } catch let thrown {
        error = thrown
    }
    await then()
    return error
}
