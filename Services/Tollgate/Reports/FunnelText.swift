internal import Messages

/// A funnel, for people.
struct FunnelText {
    private let funnel: Funnel

    init(_ funnel: Funnel) { self.funnel = funnel }

    var text: String {
        guard funnel.users > 0 else { return "nobody has come into the funnel of \(title)" }
        var rows = [["stage", "users", "of all", "of the stage before"]]
        rows += funnel.stages.map { stage in
            let name = stage.step.map { "\(stage.index ?? 0) \($0)" } ?? stage.kind
            return [name, "\(stage.users)", Self.percent(stage.ofAll), Self.percent(stage.ofBefore)]
        }
        var lines = ["\(title): \(funnel.users == 1 ? "1 user" : "\(funnel.users) users")"] + Self.table(rows)
        if funnel.refunded > 0 {
            lines.append("of those who bought something, \(funnel.refunded) got back all that they paid")
        }
        if let step = funnel.answersTo { lines += answers(to: step) }
        return lines.joined(separator: "\n")
    }

    private var title: String {
        var title = "\(funnel.app)"
        if let trust = funnel.trust { title += " by \(trust) callers" }
        if funnel.environment != .production { title += " in the \(funnel.environment)" }
        if let from = funnel.from { title += " from \(from.rfc3339)" }
        if let to = funnel.to { title += " to \(to.rfc3339)" }
        return title
    }

    private func answers(to step: String) -> [String] {
        guard let answers = funnel.answers, !answers.isEmpty else { return ["nobody has answered \(step)"] }
        var rows = [["answer to \(step)", "users", "bought", "of them"]]
        rows += answers.map {
            [$0.value ?? "(all others)", "\($0.users)", "\($0.purchased)", Self.percent($0.conversion)]
        }
        return [""] + Self.table(rows)
    }

    /// Tenths of a percent.
    private static func percent(_ share: Double?) -> String {
        guard let share else { return "–" }
        // Of a sum that is none the share may be anything.
        guard let tenths = Int(exactly: (share * 1000).rounded()) else { return "–" }
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// The first column to the left, the others to the right.
    private static func table(_ rows: [[String]]) -> [String] {
        let rows = rows.map { $0.map(\.onOneLine) }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + gap : gap + cell
            }
            return "  " + cells.joined(separator: "  ")
        }
    }
}
