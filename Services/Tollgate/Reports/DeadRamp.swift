/// How a replay goes up: a few letters, then more, as long as few of them fail.
///
/// Pure. The stages are shares of the whole selection in per cent, so that a ramp ends with all of it.
package struct DeadRamp: Sendable, Equatable {
    /// Ascending, the last one is 100.
    package let stages: [Int]
    /// The share of failures of one stage that stops the replay, 0 to 1.
    package let stopAt: Double

    /// All at once.
    package static let none = DeadRamp(stages: [100], stopAt: 1)

    /// - Parameters:
    ///   - stages: ascending, 1 to 100; 100 is added where it is missing.
    ///   - stopAt: 0 to 1.
    package init(stages: [Int], stopAt: Double) {
        self.stages = stages.last == 100 ? stages : stages + [100]
        self.stopAt = stopAt
    }

    /// Reads `1,2,5,20,100`; nil unless they ascend from 1 to 100.
    package static func stages(_ text: String) -> [Int]? {
        let stages = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard zip([0] + stages, stages).allSatisfy({ $0 < $1 }), let last = stages.last, last <= 100 else { return nil }
        return stages
    }

    /// Reads `10%`.
    package static func share(_ text: String) -> Double? {
        guard text.last == "%", let number = Double(text.dropLast()), (0...100).contains(number) else { return nil }
        return number / 100
    }

    /// The options that say it.
    package var words: String {
        let percent = (stopAt * 1_000_000).rounded() / 10_000
        let share = percent == percent.rounded() ? String(Int(percent)) : String(percent)
        return "--ramp \(stages.map(String.init).joined(separator: ",")) --stop-at \(share)%"
    }

    /// How many of `count` letters are to be gone at the end of a stage: at least one.
    package func target(of stage: Int, count: Int) -> Int { (count * stages[stage] + 99) / 100 }

    /// Whether a stage has gone too badly to go on.
    package func stops(failed: Int, of ended: Int) -> Bool {
        ended > 0 && stages.count > 1 && Double(failed) > stopAt * Double(ended)
    }
}
