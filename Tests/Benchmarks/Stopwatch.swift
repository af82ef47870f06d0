/// How many a second, when `count` took `duration`.
func rate(_ count: Int, in duration: Duration) -> Double { Double(count) / (duration / .seconds(1)) }

/// The rate of doing one thing after the other at rates `a` and `b`: what a pipeline without overlap would reach.
func serial(_ a: Double, _ b: Double) -> Double { 1 / (1 / a + 1 / b) }

/// How long `body` took.
func timed(_ body: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    try await body()
    return .now - start
}

extension Array where Element == Duration {
    /// The duration below which `share` of all lie; 0 for none.
    func percentile(_ share: Double) -> Duration {
        guard !isEmpty else { return .zero }
        return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
