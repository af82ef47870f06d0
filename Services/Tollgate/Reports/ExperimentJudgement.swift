internal import Messages
internal import Statistics

/// Judges an experiment by its record and what all its partitions have counted.
///
/// What is judged is one traffic: production, and of it what is attested, or what is not. The error of 5 % is for all
/// looks and for all variants together: each of k comparisons with the control has 5 % ÷ k. Conversion and revenue, and in
/// revenue each currency, have theirs by themselves.
struct ExperimentJudgement {
    /// Of an interval that does not hold the truth, ever.
    static let error = 0.05
    /// Of a sample ratio that is told to be off and is not, of assigned and of exposed installs each.
    static let ratioError = 0.01
    /// An asymptotic interval is shown from so many payers in each arm on.
    static let fewestPayers = 20

    let experiment: Experiment
    let tally: ExperimentTally
    /// The trust that is judged.
    let trust: Trust
    /// Only this epoch; nil: all that may be put together.
    let epoch: Int?

    /// Everything about it.
    func results(at now: Timestamp, isTest: Bool) -> ExperimentResults {
        let missing = MissingSKUs(experiment: experiment).find(in: tally.renderings.filter { isJudged($0.stratum) })
        let audience = tally.audience.first { $0.environment == .production && $0.trust == trust }
        var results = ExperimentResults(
            organisation: experiment.organisation, app: experiment.app, experiment: experiment.id,
            name: experiment.name, entitlement: experiment.entitlement, state: experiment.state, at: now,
            conversionWindowSeconds: experiment.conversionWindowSeconds, environment: .production, trust: trust,
            isTest: isTest, epoch: epoch, variants: experiment.variants.map { variant($0.key) },
            comparisons: comparisons, assignedRatio: ratio(\.assigned), exposedRatio: ratio(\.exposed),
            users: audience?.users ?? 0, usersOfSeveralVariants: audience?.ofSeveralVariants ?? 0,
            missingSKUs: missing, apart: apart, decision: "")
        results.decision = ExperimentDecision(results: results).text
        return results
    }

    private func isJudged(_ stratum: ExperimentTally.Stratum) -> Bool {
        stratum.environment == .production && stratum.trust == trust && (epoch.map { $0 == stratum.epoch } ?? true)
    }

    // MARK: A variant by itself

    private func variant(_ key: VariantKey) -> ExperimentResults.VariantResult {
        let count = self.count(of: key, in: nil)
        return ExperimentResults.VariantResult(
            variant: key, isControl: key == experiment.control, assigned: count.assigned, exposed: count.exposed,
            converted: count.converted, matured: count.matured, maturedConverted: count.maturedConverted,
            refunds: count.refunds, unpriced: count.unpriced, unverified: count.unverified,
            revenue: currencies(of: [key]).map { currency in
                let sum = revenue(of: key, in: nil, currency)
                return .init(
                    currency: currency, paid: sum.paid, refunded: sum.refunded, matured: sum.matured,
                    maturedPayers: sum.maturedPayers)
            })
    }

    /// - Parameter epochs: only these; nil: all that are asked about.
    private func count(of variant: VariantKey, in epochs: Set<Int>?) -> ExperimentTally.Count {
        let stratum = ExperimentTally.Stratum(epoch: 0, variant: variant, environment: .production, trust: trust)
        return tally.counts
            .filter { isJudged($0.stratum) && $0.stratum.variant == variant && isIn($0.stratum, epochs) }
            .reduce(into: .init(stratum: stratum)) { $0.add($1) }
    }

    private func revenue(of variant: VariantKey, in epochs: Set<Int>?, _ currency: String) -> ExperimentTally.Revenue {
        let stratum = ExperimentTally.Stratum(epoch: 0, variant: variant, environment: .production, trust: trust)
        let nothing = ExperimentTally.Revenue(
            stratum: stratum, currency: currency, paid: 0, refunded: 0, matured: 0, maturedSquares: 0,
            maturedPayers: 0)
        return tally.revenue
            .filter { isJudged($0.stratum) && $0.stratum.variant == variant && $0.currency == currency }
            .filter { isIn($0.stratum, epochs) }
            .reduce(into: nothing) { $0.add($1) }
    }

    private func isIn(_ stratum: ExperimentTally.Stratum, _ epochs: Set<Int>?) -> Bool {
        epochs?.contains(stratum.epoch) ?? true
    }

    private func currencies(of variants: Set<VariantKey>) -> [String] {
        Set(tally.revenue.filter { isJudged($0.stratum) && variants.contains($0.stratum.variant) }.map(\.currency))
            .sorted()
    }

    // MARK: Against the control

    private var comparisons: [ExperimentResults.Comparison] {
        guard let control = experiment.control else { return [] }
        let others = experiment.variants.map(\.key).filter { $0 != control }
        return others.compactMap { variant in
            let epochs = PooledEpochs(of: experiment, variant, over: control, only: epoch).numbers
            guard !epochs.isEmpty else { return nil }
            return comparison(variant, control, Set(epochs), error: Self.error / Double(others.count))
        }
    }

    private func comparison(
        _ variant: VariantKey, _ control: VariantKey, _ epochs: Set<Int>, error: Double
    ) -> ExperimentResults.Comparison {
        let (count, base) = (count(of: variant, in: epochs), count(of: control, in: epochs))
        let conversion = ConversionDifference(
            of: Trials(count: count.matured, successes: count.maturedConverted),
            over: Trials(count: base.matured, successes: base.maturedConverted))
        let interval = conversion.interval(error: error)
        return .init(
            variant: variant, control: control, epochs: epochs.sorted(), error: error,
            conversion: .init(difference: conversion.estimate, lower: interval.lower, upper: interval.upper),
            revenue: currencies(of: [variant, control]).map { currency in
                let (paid, basePaid) = (
                    revenue(of: variant, in: epochs, currency), revenue(of: control, in: epochs, currency)
                )
                return estimate(paid, count.matured, basePaid, base.matured, error: error)
            })
    }

    private func estimate(
        _ paid: ExperimentTally.Revenue, _ count: Int, _ basePaid: ExperimentTally.Revenue, _ baseCount: Int,
        error: Double
    ) -> ExperimentResults.RevenueEstimate {
        let difference = MeanDifference(of: paid.sample(of: count), over: basePaid.sample(of: baseCount))
        let payers = min(paid.maturedPayers, basePaid.maturedPayers)
        let interval = payers < Self.fewestPayers ? nil : difference.interval(error: error)
        return .init(
            currency: paid.currency, difference: difference.estimate,
            interval: interval.map { .init(difference: difference.estimate, lower: $0.lower, upper: $0.upper) },
            payers: payers, payersNeeded: Self.fewestPayers)
    }

    // MARK: Whether it can be believed

    /// Each epoch against its own weights.
    private func ratio(_ number: KeyPath<ExperimentTally.Count, Int>) -> ExperimentResults.Ratio {
        var ratio = SampleRatio()
        for epoch in experiment.epochs where self.epoch.map({ $0 == epoch.number }) ?? true {
            ratio.add(
                epoch.arms.map { arm in
                    (count(of: arm.variant, in: [epoch.number])[keyPath: number], Double(arm.weight))
                })
        }
        return .init(anytimePValue: ratio.anytimePValue, isOff: ratio.isOff(error: Self.ratioError))
    }

    private var apart: [ExperimentResults.Apart] {
        var sums: [ExperimentResults.Apart] = []
        for count in tally.counts where !isJudged(count.stratum) {
            // What is left out because of its epoch is not another traffic.
            let (environment, trust) = (count.stratum.environment, count.stratum.trust)
            guard environment != .production || trust != self.trust else { continue }
            let index =
                sums.firstIndex { $0.environment == environment && $0.trust == trust }
                ?? {
                    sums.append(.init(environment: environment, trust: trust, assigned: 0, exposed: 0, converted: 0))
                    return sums.count - 1
                }()
            sums[index].assigned += count.assigned
            sums[index].exposed += count.exposed
            sums[index].converted += count.converted
        }
        return sums.sorted { ($0.environment, $0.trust) < ($1.environment, $1.trust) }
    }
}

extension ExperimentTally.Revenue {
    /// What each of `count` installs has paid, in units; those that are not among the payers nothing.
    fileprivate func sample(of count: Int) -> Sample {
        Sample(count: count, sum: Double(matured) / 1000, sumOfSquares: maturedSquares / 1_000_000)
    }
}
