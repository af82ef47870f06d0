internal import Messages

/// The epochs that may be put together where two variants are compared.
///
/// Installs of different times differ. As long as the two variants get theirs in one ratio, each has the same mixture of
/// times, and their sums may be compared. Where the ratio has changed they may not be (Simpson's paradox): then those
/// epochs count that have the ratio of the newest, and a change of the ratio is the beginning of another experiment with
/// an error of its own. How many installs take part at all does not matter.
struct PooledEpochs {
    /// In their order.
    let numbers: [Int]

    /// - Parameter only: this one alone; nil: all that fit.
    init(of experiment: Experiment, _ variant: VariantKey, over control: VariantKey, only: Int?) {
        let ratios: [(epoch: Int, weights: (Int, Int))] = experiment.epochs.compactMap { epoch in
            guard only.map({ $0 == epoch.number }) ?? true,
                let weight = epoch.arms.first(where: { $0.variant == variant })?.weight,
                let base = epoch.arms.first(where: { $0.variant == control })?.weight, weight > 0, base > 0
            else { return nil }
            return (epoch.number, (weight, base))
        }
        guard let newest = ratios.last?.weights else {
            numbers = []
            return
        }
        numbers = ratios.filter { ratio in
            // Weights are at most a million; what another release may write is not multiplied blindly.
            let (left, overflow) = ratio.weights.0.multipliedReportingOverflow(by: newest.1)
            let (right, other) = ratio.weights.1.multipliedReportingOverflow(by: newest.0)
            return !overflow && !other && left == right
        }.map(\.epoch)
    }
}
