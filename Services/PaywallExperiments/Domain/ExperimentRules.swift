internal import Messages

/// What an experiment may be.
enum ExperimentRules {
    static let mostExperiments = 1_000
    static let mostArms = 10
    /// Of all epochs together.
    static let mostVariants = 20
    static let mostEpochs = 50
    static let mostWeight = 1_000_000
    static let windowSeconds = 60...90 * 86_400
    static let standardWindowSeconds = 7 * 86_400

    static func complaint(aboutName name: String) -> Refusal? {
        guard (1...200).contains(name.utf8.count), name.isLineOfText else {
            return .fieldInvalid("name", "1 to 200 bytes on one line, without control or formatting characters")
        }
        return nil
    }

    static func complaint(aboutCoverage coverage: Int) -> Refusal? {
        (0...10_000).contains(coverage) ? nil : .fieldInvalid("coverage", "0 to 10000")
    }

    static func complaint(aboutWindow seconds: Int) -> Refusal? {
        windowSeconds.contains(seconds)
            ? nil
            : .fieldInvalid(
                "conversionWindowSeconds", "\(windowSeconds.lowerBound) to \(windowSeconds.upperBound)")
    }

    static func complaint(about arms: [Experiment.Arm]) -> Refusal? {
        guard (2...mostArms).contains(arms.count) else { return .fieldInvalid("arms", "2 to \(mostArms) of them") }
        guard arms.allSatisfy({ $0.variant.isGood }) else { return .fieldInvalid("arms", VariantKey.expectation) }
        guard arms.allSatisfy({ (1...mostWeight).contains($0.weight) }) else {
            return .fieldInvalid("arms", "weights from 1 to \(mostWeight)")
        }
        guard Set(arms.map(\.variant)).count == arms.count else { return .fieldInvalid("arms", "each variant once") }
        return nil
    }

    /// What is wrong with the offers of variants that `arms` use; nil: nothing.
    static func complaint(about variants: [Experiment.Variant], of arms: [Experiment.Arm]) -> Refusal? {
        let used = Set(arms.map(\.variant))
        guard variants.count <= mostArms, Set(variants.map(\.key)).count == variants.count,
            variants.allSatisfy({ used.contains($0.key) })
        else { return .fieldInvalid("variants", "only those of the arms, each once") }
        for variant in variants {
            guard !variant.skus.isEmpty else { return .fieldInvalid("variants", "at least one offer in each") }
            if let complaint = PaywallRules.complaint(about: variant.skus, in: "variants") { return complaint }
        }
        return nil
    }
}
