internal import Messages
internal import ServiceKit

/// What the registry shows of devices' proofs at `/metrics`.
struct DeviceMeasures: Sendable {
    private let metrics: MetricsRegistry

    init(in metrics: MetricsRegistry) { self.metrics = metrics }

    /// Counts an attestation that was looked at.
    func count(_ finding: Result<AttestedKey, Refusal>) {
        let outcome =
            switch finding {
            case .success(let key): "verified_\(key.environment)"
            case .failure(let refusal): refusal.reason
            }
        metrics.counter(
            "tollgate_attestations_total", "Attestations that were looked at, by what came of it", ["outcome": outcome]
        ).add()
    }
}
