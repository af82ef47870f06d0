internal import ServiceKit

/// One thing that has to hold of a run, such as `p99_effect<200ms` or `lost=0`.
package struct LoadThreshold: Sendable, Equatable {
    /// What a run can be judged by; durations in milliseconds.
    package typealias Figures = [String: Double]

    /// Figures that are durations.
    package static let durations = ["accept", "effect", "late"].flatMap { kind in
        ["p50", "p90", "p95", "p99", "p999", "max"].map { "\($0)_\(kind)" }
    }
    /// Figures that are numbers.
    package static let numbers = [
        "sent", "accepted", "applied", "refused", "rejected", "failed", "unsent", "pending", "lost", "twice", "wrong",
        "dead", "rate",
    ]

    /// How a figure has to stand to a bound.
    package enum Relation: String, Sendable, CaseIterable {
        case atMost = "<="
        case atLeast = ">="
        case below = "<"
        case above = ">"
        case equal = "="
    }

    /// Which figure.
    package let figure: String
    /// How it has to stand to the bound.
    package let relation: Relation
    /// Milliseconds for durations.
    package let bound: Double
    /// As it was written.
    package let text: String

    /// One of them; nil for a text that is none: an unknown figure, a duration without its unit, a number with one.
    package init?(_ text: String) {
        let text = String(text.filter { !$0.isWhitespace })
        // The longer signs first: `<=` begins with `<`.
        for relation in Relation.allCases {
            guard let sign = text.firstRange(of: relation.rawValue) else { continue }
            let value = String(text[sign.upperBound...])
            figure = String(text[..<sign.lowerBound])
            if Self.durations.contains(figure) {
                guard let duration = Duration(settingText: value) else { return nil }
                bound = duration / .milliseconds(1)
            } else {
                guard Self.numbers.contains(figure), let number = Double(value), number.isFinite else { return nil }
                bound = number
            }
            self.relation = relation
            self.text = text
            return
        }
        return nil
    }

    /// Several with commas between them; nil if one of them is none.
    package static func list(_ text: String) -> [LoadThreshold]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { LoadThreshold(String($0)) }
        let good = parts.compactMap(\.self)
        return good.count == parts.count && !good.isEmpty ? good : nil
    }

    /// Whether it holds. What was not measured holds nothing: a run without an effect proves nothing of effects.
    package func holds(of figures: Figures) -> Bool {
        guard let value = figures[figure] else { return false }
        return switch relation {
        case .atMost: value <= bound
        case .atLeast: value >= bound
        case .below: value < bound
        case .above: value > bound
        case .equal: value == bound
        }
    }
}
