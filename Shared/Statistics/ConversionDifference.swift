internal import Glibc

/// How much more often one group succeeds than another, known so well that one may look at any time, and as often as one
/// likes: an exact confidence sequence.
///
/// For a difference d, compare two explanations of all outcomes: each group has a rate of its own, drawn from
/// Beta(1/2, 1/2); or the rates differ by exactly d, and are the best such pair for these outcomes. If d is the truth, the
/// first can never be expected to win: the quotient of their probabilities is at most a martingale that begins at 1 (the
/// pair of true rates is one of those that the second has chosen among), so that the probability that it *ever* reaches
/// 1/α is at most α (Ville's inequality). The interval is all d for which it has not. No assumption is made but that
/// outcomes are independent with one rate a group: neither large numbers nor groups of one size, nor a plan for when to
/// stop.
///
/// Sources: the mixture, Robbins, "Statistical methods related to the law of the iterated logarithm", Ann. Math. Statist.
/// 41 (1970); the best pair in the denominator and why that is valid at any time, Wasserman, Ramdas & Balakrishnan,
/// "Universal inference", PNAS 117 (2020), section 8; of confidence sequences in general, Howard, Ramdas, McAuliffe &
/// Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences", Ann. Statist. 49 (2021).
public struct ConversionDifference: Sendable, Hashable {
    /// What it is compared with.
    public let control: Trials
    /// What is compared.
    public let treatment: Trials

    /// The treatment's rate less the control's.
    public init(of treatment: Trials, over control: Trials) {
        self.treatment = treatment
        self.control = control
    }

    /// Its best guess.
    public var estimate: Double { treatment.rate - control.rate }

    /// The logarithm of how much better two free rates explain what was seen than any two that differ by `difference`.
    /// Under the truth it ever reaches log(1/α) with a probability of at most α.
    public func logEvidence(against difference: Double) -> Double {
        treatment.logMixture + control.logMixture - bestLogLikelihood(difference)
    }

    /// Where the difference lies, with an error of at most `error` over all looks together.
    public func interval(error: Double) -> Interval {
        let threshold = -log(error)
        // The evidence falls towards the estimate from both sides: the logarithm of the likelihood is concave.
        func edge(_ outside: Double) -> Double {
            guard logEvidence(against: outside) >= threshold else { return outside }
            var (out, within) = (outside, estimate)
            for _ in 0..<60 {
                let middle = (out + within) / 2
                if logEvidence(against: middle) >= threshold { out = middle } else { within = middle }
            }
            return out
        }
        return Interval(lower: edge(-1), upper: edge(1))
    }

    /// Of the best pair of rates that differ by `difference`.
    private func bestLogLikelihood(_ difference: Double) -> Double {
        if difference == 0 {
            // No search: the best common rate is that of all together.
            let all = Trials(
                count: control.count + treatment.count, successes: control.successes + treatment.successes)
            return all.logLikelihood(all.rate)
        }
        var (low, high) = (max(0, -difference), min(1, 1 - difference))
        // The slope falls: it is 0 at the best rate of the control.
        for _ in 0..<60 where low < high {
            let rate = (low + high) / 2
            if slope(rate, rate + difference) > 0 { low = rate } else { high = rate }
        }
        let rate = (low + high) / 2
        return control.logLikelihood(rate) + treatment.logLikelihood(min(max(0, rate + difference), 1))
    }

    private func slope(_ rate: Double, _ other: Double) -> Double {
        func part(_ trials: Trials, _ rate: Double) -> Double {
            (trials.successes == 0 ? 0 : Double(trials.successes) / rate)
                - (trials.failures == 0 ? 0 : Double(trials.failures) / (1 - rate))
        }
        return part(control, rate) + part(treatment, other)
    }
}
