internal import Messages
package import ServiceKit

/// What the service shows of its verdicts at `/metrics`.
package struct VerdictMeasures: Sendable {
    private let metrics: MetricsRegistry
    /// Artifacts that were really looked at; the others were known.
    package let looked: Counter

    package init(in metrics: MetricsRegistry) {
        self.metrics = metrics
        looked = metrics.counter("tollgate_artifacts_examined_total", "Artifacts that were verified or found wanting")
    }

    /// Counts a verdict that was stored, the first on its artifact or one that turned.
    func count(_ kept: KeptVerdict) {
        let labels: KeyValuePairs = ["kind": kept.name.kind.rawValue, "outcome": kept.verdict.outcome]
        let counter =
            kept.revision == 0
            ? metrics.counter("tollgate_verdicts_total", "First verdicts on artifacts, by kind and outcome", labels)
            : metrics.counter("tollgate_verdicts_turned_total", "Verdicts that turned, by what they turned to", labels)
        counter.add()
    }
}
