internal import Glibc

/// Whether installs fell to the arms as the weights say, tested so that one may look at any time: a test martingale.
///
/// Compares two explanations of who fell where: the weights; or shares drawn from a Dirichlet distribution around them.
/// Under the weights the quotient ever reaches 1/α with a probability of at most α. Where weights have changed, each epoch
/// has its own, and the quotients are multiplied.
///
/// Source: Lindon & Malek, "Anytime-valid inference for multinomial count data", NeurIPS 2022, arXiv:2011.03567.
public struct SampleRatio: Sendable, Hashable {
    /// The logarithm of the evidence against the weights; 0 while nothing was seen.
    public private(set) var logEvidence = 0.0

    /// How closely shares are expected around the weights: as if so many installs had been seen before.
    public static let concentration = 1000.0

    /// Of nothing yet.
    public init() {}

    /// Takes an epoch: how many fell to each arm, and with which weight.
    public mutating func add(_ arms: [(count: Int, weight: Double)]) {
        let total = arms.reduce(0) { $0 + max(0, $1.weight) }
        guard total > 0 else { return }
        let installs = arms.reduce(0.0) { $0 + Double(max(0, $1.count)) }
        var log = logGamma(Self.concentration) - logGamma(Self.concentration + installs)
        for (count, weight) in arms where count > 0 {
            guard weight > 0 else {
                // Nobody can have fallen here.
                logEvidence = .infinity
                return
            }
            let (share, count) = (weight / total, Double(count))
            log += logGamma(Self.concentration * share + count) - logGamma(Self.concentration * share)
            log -= count * Glibc.log(share)
        }
        logEvidence += log
    }

    /// The greatest error at which these counts would not be alarming, at any look: 1 for no doubt.
    public var anytimePValue: Double { min(1, exp(-logEvidence)) }

    /// Whether it is off, with a false-alarm rate of at most `error` over all looks together.
    public func isOff(error: Double) -> Bool { logEvidence >= -log(error) }
}
