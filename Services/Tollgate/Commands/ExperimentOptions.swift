internal import Messages
internal import ServiceKit

/// Options that say what an experiment is.
enum ExperimentOptions {
    static let name = Option<String>(
        "--name", "TEXT", "What it is called",
        expectation: "1 to 200 bytes on one line, without control or formatting characters"
    ) { (1...200).contains($0.utf8.count) && $0.isLineOfText ? $0 : nil }
    static let coverage = Option<Int>(
        "--coverage", "PERCENT", "How many of 100 installs take part", expectation: "0 to 100, with up to two decimals",
        parse: basisPoints)
    static let arms = Option<Experiment.Arm>(
        "--arm", "VARIANT=WEIGHT", "A variant and its weight, all of them, the control first",
        expectation: "a name and a weight from 1 on, such as b=1", isRepeatable: true
    ) { text in
        guard let (key, rest) = split(text), let weight = Int(rest), weight > 0 else { return nil }
        return Experiment.Arm(variant: key, weight: weight)
    }
    static let skus = Option<Experiment.Variant>(
        "--skus", "VARIANT=PRODUCT[:KIND],…", "What a variant offers, in this order",
        expectation: "a variant and products, such as b=com.example.annual,com.example.credits:iap", isRepeatable: true
    ) { text in
        guard let (key, rest) = split(text) else { return nil }
        let texts = rest.split(separator: ",", omittingEmptySubsequences: false)
        let skus = texts.compactMap { PaywallOptions.sku(String($0)) }
        return skus.count == texts.count ? Experiment.Variant(key: key, skus: skus) : nil
    }
    static let window = Option<Duration>(
        "--window", "DURATION",
        "How long an install has time to buy after it has seen the paywall: 7 days unless given",
        expectation: "whole seconds, 1m to 90 days, such as 48h"
    ) { text in
        Duration(settingText: text).flatMap { $0.components.attoseconds == 0 ? $0 : nil }
    }
    static let all: [any OptionDescription] = [name, coverage, arms, skus, window]

    static func windowSeconds(_ arguments: Arguments) throws -> Int? {
        try arguments.optional(window).map { Int(clamping: $0.components.seconds) }
    }

    /// `KEY=REST`
    private static func split(_ text: String) -> (VariantKey, String)? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, case let key = VariantKey(rawValue: String(parts[0])), key.isGood else { return nil }
        return (key, String(parts[1]))
    }

    /// 12.5 for 1,250.
    @Sendable private static func basisPoints(_ text: String) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...3).contains(whole.utf8.count), whole.utf8.allSatisfy(isDigit) else {
            return nil
        }
        let decimals = parts.count > 1 ? String(parts[1]) : "0"
        guard (1...2).contains(decimals.utf8.count), decimals.utf8.allSatisfy(isDigit),
            let hundreds = Int(whole), let rest = Int(decimals)
        else { return nil }
        let points = hundreds * 100 + (decimals.utf8.count == 1 ? rest * 10 : rest)
        return points <= 10_000 ? points : nil
    }

    @Sendable private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
