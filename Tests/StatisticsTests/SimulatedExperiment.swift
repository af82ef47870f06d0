import Statistics
import TestSupport

/// An experiment of two arms as chance plays it: installs fall to an arm, and each then buys or does not.
struct SimulatedExperiment {
    /// What installs of an arm do.
    struct Arm {
        /// How many of them buy.
        var rate: Double
        /// What they pay, each price as likely.
        var prices: [Double] = [2.99, 9.99, 9.99, 9.99, 49.99]
    }

    private(set) var (trials, samples) = (
        [Trials(count: 0, successes: 0), Trials(count: 0, successes: 0)],
        [Sample(count: 0, sum: 0, sumOfSquares: 0), Sample(count: 0, sum: 0, sumOfSquares: 0)]
    )
    private(set) var payers = [0, 0]
    private let arms: [Arm]
    private let share: Double
    private var random: SeededGenerator

    /// - Parameter share: of the installs that really fall to the second arm.
    init(_ control: Arm, _ treatment: Arm, share: Double = 0.5, seed: UInt64) {
        arms = [control, treatment]
        self.share = share
        random = SeededGenerator(seed: seed)
    }

    /// One more install.
    mutating func step() {
        let arm = Double.random(in: 0..<1, using: &random) < share ? 1 : 0
        let buys = Double.random(in: 0..<1, using: &random) < arms[arm].rate
        let paid = buys ? arms[arm].prices.randomElement(using: &random) ?? 0 : 0
        trials[arm] = Trials(count: trials[arm].count + 1, successes: trials[arm].successes + (buys ? 1 : 0))
        samples[arm] = Sample(
            count: samples[arm].count + 1, sum: samples[arm].sum + paid,
            sumOfSquares: samples[arm].sumOfSquares + paid * paid)
        if buys { payers[arm] += 1 }
    }

    var conversion: ConversionDifference { ConversionDifference(of: trials[1], over: trials[0]) }
    var revenue: MeanDifference { MeanDifference(of: samples[1], over: samples[0]) }

    var ratio: SampleRatio {
        var ratio = SampleRatio()
        ratio.add([(trials[0].count, 1), (trials[1].count, 1)])
        return ratio
    }

    /// Plays on, and looks after every install of the first hundred, then after every tenth.
    ///
    /// - Returns: whether `look` ever said yes.
    mutating func watch(installs: Int, _ look: (Self) -> Bool) -> Bool {
        for number in 1...installs {
            step()
            if (number <= 100 || number.isMultiple(of: 10)) && look(self) { return true }
        }
        return false
    }
}

/// How many of `count` say yes, on all cores.
func number(of count: Int, where holds: @escaping @Sendable (Int) -> Bool) async -> Int {
    await withTaskGroup(of: Int.self) { group in
        let portions = 4
        for portion in 0..<portions {
            group.addTask { stride(from: portion, to: count, by: portions).count(where: holds) }
        }
        return await group.reduce(0, +)
    }
}
