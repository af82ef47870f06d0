internal import ServiceKit

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

    init(_ address: PartitionAddress, in metrics: MetricsRegistry) {
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
        consuming = metrics.gauge(
            "tollgate_lane_consuming", "1 while the partition takes messages", ["partition": partition])
    }

    func count(_ ending: Ending) { endings[ending]?.add() }
}
