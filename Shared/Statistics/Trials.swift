internal import Glibc

/// How many tried, and how many of them succeeded.
public struct Trials: Sendable, Hashable {
    /// How many tried.
    public let count: Int
    /// How many succeeded.
    public let successes: Int

    /// Trials of these; what cannot be is brought to the nearest that can.
    public init(count: Int, successes: Int) {
        self.count = max(0, count)
        self.successes = min(max(0, successes), self.count)
    }

    /// The share of successes; 0 without trials.
    public var rate: Double { count == 0 ? 0 : Double(successes) / Double(count) }

    var failures: Int { count - successes }

    /// The logarithm of the probability of exactly this series of outcomes, if each succeeds with probability `rate`.
    func logLikelihood(_ rate: Double) -> Double {
        (successes == 0 ? 0 : Double(successes) * log(rate)) + (failures == 0 ? 0 : Double(failures) * log1p(-rate))
    }

    /// The same, if the probability is one that a Beta(1/2, 1/2) distribution has drawn.
    var logMixture: Double {
        logBeta(Double(successes) + 0.5, Double(failures) + 0.5) - logBeta(0.5, 0.5)
    }
}

/// The logarithm of the gamma function, for positive numbers.
func logGamma(_ x: Double) -> Double {
    // Not lgamma(3), which writes a global variable.
    var sign: Int32 = 0
    return lgamma_r(x, &sign)
}

/// The logarithm of the beta function, for positive numbers.
func logBeta(_ a: Double, _ b: Double) -> Double { logGamma(a) + logGamma(b) - logGamma(a + b) }
