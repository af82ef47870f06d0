internal import Glibc

/// How much more one group yields than another, with an *asymptotic* confidence sequence: one may look at any time, and
/// the error is kept as the numbers grow, not for every number. It makes no assumption on how the values are distributed
/// but that they have a variance.
///
/// The normal mixture of Robbins in its time-uniform central limit form: with t values in all, of which the estimate has
/// the variance V,  ± √V · √(2 (tρ² + 1)/(tρ²) · log(√(tρ² + 1)/α)).
///
/// Source: Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, "Time-uniform central limit theory and asymptotic confidence
/// sequences", Ann. Statist. 52 (2024), arXiv:2103.06476 (2021), Theorem 2.2, for the difference of means of a randomised
/// experiment.
public struct MeanDifference: Sendable, Hashable {
    /// What it is compared with.
    public let control: Sample
    /// What is compared.
    public let treatment: Sample

    /// For so many values in all the interval is as narrow as it can be; chosen before anything was seen.
    public static let tightestAt = 10_000.0

    /// The treatment's mean less the control's.
    public init(of treatment: Sample, over control: Sample) {
        self.treatment = treatment
        self.control = control
    }

    /// Its best guess.
    public var estimate: Double { treatment.mean - control.mean }

    /// Where the difference lies, with an error of about `error` over all looks together; nil before each group has a
    /// value.
    public func interval(error: Double) -> Interval? {
        guard control.count > 0, treatment.count > 0 else { return nil }
        let variance =
            control.variance / Double(control.count) + treatment.variance / Double(treatment.count)
        let surprise = -2 * log(error)
        let scaled = Double(control.count + treatment.count) * (surprise + log(surprise + 1)) / Self.tightestAt
        let width = sqrt(variance * 2 * (scaled + 1) / scaled * log(sqrt(scaled + 1) / error))
        return Interval(lower: estimate - width, upper: estimate + width)
    }
}
