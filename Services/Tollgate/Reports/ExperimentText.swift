internal import Messages

extension Experiment {
    /// A line for people.
    var line: String {
        "\(id)  \(state)  \(entitlement)  \(name)  (\(arms.map { "\($0.variant)=\($0.weight)" }.joined(separator: " ")), \(Self.percent(coverage)))"
            .onOneLine
    }

    /// All of it, for people.
    var text: String {
        var lines = [
            "\(name): \(state), on the paywall for \(entitlement) of \(app) (version \(version))", "  id: \(id)",
        ]
        lines.append("  created \(createdAt.rfc3339)")
        if let startedAt { lines.append("  started \(startedAt.rfc3339)") }
        if let stoppedAt { lines.append("  stopped \(stoppedAt.rfc3339)") }
        lines.append("  conversion window: \(SpanText.of(seconds: conversionWindowSeconds))")
        for variant in variants {
            let mark = variant.key == control ? ", the control" : ""
            let share = arms.first { $0.variant == variant.key }.map { "weight \($0.weight)" } ?? "dropped"
            lines.append("  \(variant.key) (\(share)\(mark)): \(PaywallOptions.text(variant.skus))")
        }
        if epochs.isEmpty { lines.append("  coverage: \(Self.percent(coverage))") }
        for epoch in epochs {
            let arms = epoch.arms.map { "\($0.variant)=\($0.weight)" }.joined(separator: " ")
            lines.append(
                "  epoch \(epoch.number) from \(epoch.beganAt.rfc3339): coverage \(Self.percent(epoch.coverage)), \(arms)"
            )
        }
        return lines.map(\.onOneLine).joined(separator: "\n")
    }

    /// All of it, with a word on arms that nobody can tell apart.
    func output(isDryRun: Bool?) throws -> Output {
        let warning = twins.map { "\($0) and \($1) offer the same: no difference can come of that" }
        return try Output(
            text.marked(as: isDryRun), json: Warned(value: self, warning: warning), remark: warning?.onOneLine)
    }

    /// The first two of its arms that offer the same, in the same order.
    private var twins: (VariantKey, VariantKey)? {
        let offers = arms.compactMap { arm in variants.first { $0.key == arm.variant } }
        for (index, offer) in offers.enumerated() {
            if let twin = offers.dropFirst(index + 1).first(where: { $0.skus == offer.skus }) {
                return (offer.key, twin.key)
            }
        }
        return nil
    }

    /// 12.5 % of 1,250.
    private static func percent(_ basisPoints: Int) -> String {
        let (whole, rest) = basisPoints.quotientAndRemainder(dividingBy: 100)
        let decimals = rest % 10 == 0 ? "\(rest / 10)" : (rest < 10 ? "0\(rest)" : "\(rest)")
        return rest == 0 ? "\(whole) %" : "\(whole).\(decimals) %"
    }
}
