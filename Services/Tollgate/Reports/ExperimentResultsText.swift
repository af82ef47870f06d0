internal import Messages

/// The results of an experiment for people.
struct ExperimentResultsText {
    let results: ExperimentResults

    var text: String {
        let sections = [
            head, variants, comparisons, checks, missing, apart, PageText.wrapped(results.decision),
        ]
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private var head: [String] {
        let epoch = results.epoch.map { ", epoch \($0) alone" } ?? ""
        return [
            "\(results.name.onOneLine) (\(results.experiment)), \(results.state), on the paywall of \(results.entitlement)",
            "\(results.trust) traffic in production, seen at \(results.at.rfc3339)\(epoch)",
            "conversion window \(SpanText.of(seconds: results.conversionWindowSeconds))"
                + (results.isTest ? "; a test app" : ""),
        ]
    }

    private var variants: [String] {
        Table(
            ["variant", "assigned", "exposed", "converted", "matured", "of them", "rate", "refunds"],
            results.variants.map { variant in
                [
                    variant.variant.rawValue.onOneLine + (variant.isControl ? " (control)" : ""),
                    "\(variant.assigned)", "\(variant.exposed)", "\(variant.converted)", "\(variant.matured)",
                    "\(variant.maturedConverted)", Points.share(variant.maturedConverted, of: variant.matured),
                    "\(variant.refunds)",
                ]
            }
        ).lines
            + results.variants.flatMap { variant in
                variant.revenue.map { revenue in
                    """
                    \(variant.variant.rawValue.onOneLine): \(DecimalText.money(revenue.paid - revenue.refunded)) \
                    \(revenue.currency.onOneLine) (\(DecimalText.money(revenue.paid)) less \
                    \(DecimalText.money(revenue.refunded)) paid back)
                    """
                }
            } + results.variants.flatMap(remarks)
    }

    private func remarks(_ variant: ExperimentResults.VariantResult) -> [String] {
        let name = variant.variant.rawValue.onOneLine
        return [
            variant.unpriced > 0 ? "\(name): \(variant.unpriced) purchases without a price are in no sum" : nil,
            variant.unverified > 0
                ? "\(name): \(variant.unverified) purchases are their users' by the caller's word alone" : nil,
        ].compactMap { $0 }
    }

    private var comparisons: [String] {
        results.comparisons.flatMap { comparison in
            let interval = comparison.conversion
            let level = DecimalText.text(100 * (1 - comparison.error), places: 2)
            let epochs = comparison.epochs.map(String.init).joined(separator: ", ")
            let title = "\(comparison.variant.rawValue.onOneLine) against \(comparison.control.rawValue.onOneLine)"
            let conversion = """
                  conversion \(Points.signed(interval.difference)) points, between \
                \(Points.signed(interval.lower, .down)) and \(Points.signed(interval.upper, .up))
                """
            return ["\(title), \(level) % at any time, epochs \(epochs)", conversion]
                + comparison.revenue.map(revenue)
        } + (results.comparisons.isEmpty ? [] : PageText.wrapped("Conversion: \(results.methods.conversion)."))
            + (results.comparisons.allSatisfy(\.revenue.isEmpty)
                ? [] : PageText.wrapped("Revenue: \(results.methods.revenue)."))
    }

    private func revenue(_ estimate: ExperimentResults.RevenueEstimate) -> String {
        let start = "  \(estimate.currency.onOneLine) an install \(DecimalText.text(estimate.difference, places: 3)), "
        guard let interval = estimate.interval else {
            return start + "no interval before each has \(estimate.payersNeeded) payers (\(estimate.payers))"
        }
        return start + """
            between \(DecimalText.text(interval.lower, places: 3, .down)) and \
            \(DecimalText.text(interval.upper, places: 3, .up)) (asymptotic)
            """
    }

    private var checks: [String] {
        func text(_ ratio: ExperimentResults.Ratio) -> String {
            "\(ratio.isOff ? "OFF" : "as it should be") (p \(DecimalText.text(ratio.anytimePValue, places: 4)))"
        }
        let several = Points.share(results.usersOfSeveralVariants, of: results.users)
        return [
            "sample ratio of assigned: \(text(results.assignedRatio)), of exposed: \(text(results.exposedRatio))",
            "  \(results.methods.sampleRatio)",
            "users of several variants: \(results.usersOfSeveralVariants) of \(results.users) (\(several))",
        ]
    }

    private var missing: [String] {
        results.missingSKUs.map { missing in
            """
            MISSING: \(missing.variant.rawValue.onOneLine) has shown \(missing.sku.rawValue.onOneLine) in \
            \(missing.rendered) of \(missing.impressions) impressions \
            \(missing.storefront.map { "in \($0.onOneLine)" } ?? "that name no storefront")
            """
        }
    }

    private var apart: [String] {
        results.apart.map { apart in
            """
            apart: \(apart.environment.rawValue.onOneLine), \(apart.trust.rawValue.onOneLine): \(apart.assigned) \
            assigned, \(apart.exposed) exposed, \(apart.converted) converted
            """
        } + ["apart: forced variants, of which nothing is recorded"]
    }
}

/// Columns under headings, the first to the left, numbers to the right.
private struct Table {
    let lines: [String]

    init(_ headings: [String], _ rows: [[String]]) {
        let all = [headings] + rows
        let widths = headings.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        lines = all.map { row in
            row.indices.map { column in
                let gap = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + gap : gap + row[column]
            }.joined(separator: "  ")
        }
    }
}
