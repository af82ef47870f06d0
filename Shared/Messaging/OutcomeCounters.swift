public import ServiceKit

/// Counts what became of publications, one counter for each outcome.
public struct OutcomeCounters: Sendable {
    private let confirmed, returned, refused, notSent, unknown: Counter

    /// Counters of one name, told apart by the label `outcome`.
    public init(_ name: String, _ help: String, in metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter { metrics.counter(name, help, ["outcome": outcome]) }
        confirmed = counter("confirmed")
        returned = counter("returned")
        refused = counter("refused")
        notSent = counter("not_sent")
        unknown = counter("unknown")
    }

    /// Counts one publication.
    public func count(_ outcome: PublishOutcome) {
        switch outcome {
        case .confirmed: confirmed.add()
        case .returned: returned.add()
        case .refused: refused.add()
        case .notSent: notSent.add()
        case .unknown: unknown.add()
        }
    }
}
