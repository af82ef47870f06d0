internal import Messages

/// What may be said of an experiment: never more than its intervals do.
struct ExperimentDecision {
    let results: ExperimentResults

    /// A few sentences.
    var text: String {
        var sentences: [String] = []
        if results.isTest { sentences.append("This is a test app: nobody has paid anything.") }
        if results.state == .draft {
            sentences.append("It has not been started: nobody is assigned yet. tollgate experiments start starts it.")
        } else if let complaint = brokenRatio {
            sentences.append(complaint)
        } else if results.variants.allSatisfy({ $0.matured == 0 }) {
            sentences.append(nothingYet)
        } else {
            sentences += results.comparisons.map(conversion)
            sentences += results.comparisons.flatMap(revenue)
            if results.comparisons.isEmpty { sentences.append("There is nothing that the control is compared with.") }
        }
        if !results.missingSKUs.isEmpty {
            let names = Set(results.missingSKUs.map { $0.variant.rawValue.onOneLine }).sorted()
            sentences.append(
                "But products of \(names.joined(separator: ", ")) were not there when it was seen: that test is broken."
            )
        }
        return sentences.joined(separator: " ")
    }

    private var brokenRatio: String? {
        let off = [("assigned", results.assignedRatio), ("exposed", results.exposedRatio)].filter(\.1.isOff).map(\.0)
        guard !off.isEmpty else { return nil }
        return """
            Do not decide by this: the installs that were \(off.joined(separator: " and ")) did not fall to the variants \
            as their weights say. Find out why first.
            """
    }

    private var nothingYet: String {
        let window = SpanText.of(seconds: results.conversionWindowSeconds)
        let apart = results.apart.filter { $0.environment == .production && $0.exposed > 0 }
        guard results.variants.allSatisfy({ $0.exposed == 0 }), let other = apart.first else {
            return "Nothing can be said yet: no exposure is older than the conversion window (\(window))."
        }
        return """
            Nothing can be said: no \(results.trust) install has seen it. \(other.exposed) that are \(other.trust) stand \
            apart; --traffic \(other.trust) judges them.
            """
    }

    private func conversion(_ comparison: ExperimentResults.Comparison) -> String {
        let (variant, control) = (comparison.variant.rawValue.onOneLine, comparison.control.rawValue.onOneLine)
        let interval = comparison.conversion
        if interval.lower > 0 {
            return
                "\(variant) converts more than \(control), by \(Points.range(interval.lower, interval.upper)) points."
        }
        if interval.upper < 0 {
            return """
                \(variant) converts less than \(control), by \(Points.range(-interval.upper, -interval.lower)) points.
                """
        }
        return """
            No difference in conversion between \(variant) and \(control) is shown: it lies between \
            \(Points.signed(interval.lower, .down)) and \(Points.signed(interval.upper, .up)) points.
            """
    }

    /// Only where something is shown: what is not, the table says.
    private func revenue(_ comparison: ExperimentResults.Comparison) -> [String] {
        let (variant, control) = (comparison.variant.rawValue.onOneLine, comparison.control.rawValue.onOneLine)
        return comparison.revenue.compactMap { estimate in
            guard let interval = estimate.interval, interval.lower > 0 || interval.upper < 0 else { return nil }
            let word = interval.lower > 0 ? "more" : "less"
            let (least, most) =
                interval.lower > 0 ? (interval.lower, interval.upper) : (-interval.upper, -interval.lower)
            return """
                \(variant) brings \(word) \(estimate.currency.onOneLine) than \(control), by \
                \(DecimalText.text(least, places: 3, .down)) to \(DecimalText.text(most, places: 3, .up)) an install \
                (asymptotic).
                """
        }
    }
}
