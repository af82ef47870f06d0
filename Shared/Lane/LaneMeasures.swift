internal import Messages
internal import ServiceKit
internal import Synchronization

/// What a lane shows at `/metrics`.
struct LaneMeasures: Sendable {
    private let endings: [Ending: Counter]
    /// Requests that were answered without a write.
    let settled: Counter
    /// From taking a batch to having settled it.
    let batch: Histogram
    /// From acceptance to effect.
    let age: Histogram
    let consuming: Gauge
    /// What publishers say to be confirmed and has not come here.
    let unaccounted: Gauge
    let backlog: Backlog
    /// Queries whose askers had given up.
    let abandoned: Counter
    private let facts: FactMeasures

    /// - Parameter clock: what ages are told by.
    init(_ address: PartitionAddress, in metrics: MetricsRegistry, clock: @escaping @Sendable () -> Timestamp) {
        let partition = String(address.number)
        endings = Dictionary(
            uniqueKeysWithValues: Ending.allCases.map { ending in
                (
                    ending,
                    metrics.counter(
                        "tollgate_lane_messages_total", "Messages that a lane took, by how they ended",
                        ["partition": partition, "ending": ending.rawValue])
                )
            })
        settled = metrics.counter(
            "tollgate_lane_settled_total", "Requests that a lane answered without a write", ["partition": partition])
        batch = metrics.histogram(
            "tollgate_lane_batch_seconds", "From taking a batch to having settled it", ["partition": partition])
        age = metrics.histogram(
            "tollgate_lane_age_seconds", "From acceptance of a message to its effect", ["partition": partition])
        abandoned = metrics.counter(
            "tollgate_lane_queries_abandoned_total", "Queries that nobody waited for any longer, and were left",
            ["partition": partition])
        consuming = metrics.gauge(
            "tollgate_lane_consuming", "1 while the partition takes messages", ["partition": partition])
        unaccounted = metrics.gauge(
            "tollgate_lane_unaccounted_messages",
            "Messages that publishers say the broker has confirmed, and that never came; has to be 0",
            ["partition": partition])
        let backlog = Backlog()
        self.backlog = backlog
        metrics.reading(
            "tollgate_lane_oldest_unapplied_seconds",
            "Age of the oldest message that was taken, or waits in the retry ladder, and has not ended",
            ["partition": partition]
        ) { backlog.age(at: clock()) / .seconds(1) }
        facts = FactMeasures(partition: partition, metrics: metrics)
    }

    /// An event was stored that follows from something accepted so long ago.
    func tell(_ kind: MessageKind, after age: Duration) { facts.histogram(of: kind).record(age) }

    func count(_ ending: Ending) { endings[ending]?.add() }
}

/// What a partition has begun and not ended.
final class Backlog: Sendable {
    private struct State {
        var inHand: Timestamp?
        var inLadder: Timestamp?
    }
    private let state = Mutex(State())

    /// The oldest acceptance of what the lane has in hand; nil: nothing.
    func setInHand(_ oldest: Timestamp?) { state.withLock { $0.inHand = oldest } }

    /// The oldest first failure of what waits in the ladder; nil: nothing.
    func setInLadder(_ oldest: Timestamp?) { state.withLock { $0.inLadder = oldest } }

    /// How old the oldest of it is; nothing has no age.
    func age(at now: Timestamp) -> Duration {
        let oldest = state.withLock { [$0.inHand, $0.inLadder].compactMap(\.self).min() }
        return oldest.map { max(.zero, now.since($0)) } ?? .zero
    }
}

/// How long it takes from what was accepted to each kind of event that follows: for `entitlement.changed.v1` from the
/// purchase to the entitlement.
private final class FactMeasures: Sendable {
    private let partition: String
    private let metrics: MetricsRegistry
    private let known = Mutex<[MessageKind: Histogram]>([:])

    init(partition: String, metrics: MetricsRegistry) {
        self.partition = partition
        self.metrics = metrics
    }

    func histogram(of kind: MessageKind) -> Histogram {
        known.withLock { known in
            if let histogram = known[kind] { return histogram }
            let histogram = metrics.histogram(
                "tollgate_lane_fact_seconds", "From acceptance of what caused it to an event's being stored",
                ["partition": partition, "kind": kind.rawValue])
            known[kind] = histogram
            return histogram
        }
    }
}
