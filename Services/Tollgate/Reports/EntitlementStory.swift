internal import Messages

/// Why a user has an entitlement, or has not, as a page for people.
struct EntitlementStory: Sendable {
    let question: UserWhy
    let view: UserWhyView

    var text: String {
        var lines = [
            "\(question.entitlement) of \(question.user) in \(question.app), \(view.state.environment)".onOneLine,
            "  \(verdict)".onOneLine, "  \(times)",
        ]
        if view.state.isTest { lines.append("  a test app: nobody has paid anything") }
        lines.append("")
        if view.timeline.isEmpty {
            lines.append(
                question.knownAt == nil
                    ? "Nothing is known of any purchase of his." : "Nothing had come to be known by then\(sinceWhen).")
        }
        if view.isTruncated { lines.append("(There is more; the oldest part is left out.)") }
        for entry in view.timeline { lines += Self.lines(of: entry) }
        return lines.joined(separator: "\n")
    }

    /// Whether the entitlement is one at all, as far as is known: anybody may mistype.
    var isOfSomething: Bool { view.isUnlockable != false }

    private var verdict: String {
        let state = view.state
        guard isOfSomething else {
            return
                "NOT ACTIVE: nothing unlocks \(question.entitlement) in this app; tollgate products list says what does"
        }
        let time = question.at == nil ? "" : " at that time"
        let cause = [
            state.isActive || state.transaction != nil ? nil : "no transaction of his unlocks it\(time)",
            state.transaction.map { "by transaction \($0)\(state.product.map { " of \($0)" } ?? "")" },
            state.reason.map { $0.rawValue.replacing("_", with: " ") }, state.isActive ? "\(state.trust)" : nil,
            state.willRenew.map {
                $0 ? "is going to renew\(state.renewsAs.map { " as \($0)" } ?? "")" : "will not renew"
            },
        ].compactMap(\.self).joined(separator: ", ")
        let span: String
        if state.isActive {
            let start = state.since.map { " since \($0.rfc3339)" } ?? ""
            span = "ACTIVE\(start)\(state.until.map { ", until \($0.rfc3339)" } ?? ", without end")"
        } else {
            span = "NOT ACTIVE\(state.until.map { " since \($0.rfc3339)" } ?? "")"
        }
        return cause.isEmpty ? span : "\(span): \(cause)"
    }

    private var times: String {
        let known =
            question.knownAt == nil ? "by all that is known now" : "by what was known at \(view.knownAt.rfc3339)"
        return "at \(view.at.rfc3339)\(question.at == nil ? " (now)" : ""), \(known)"
    }

    private var sinceWhen: String {
        view.knownSince > view.knownAt ? "; the first news came at \(view.knownSince.rfc3339)" : ""
    }

    /// When it became known, a mark for what it did, and what it was; below, what came of it and where it is from.
    private static func lines(of entry: TimelineEntry) -> [String] {
        var lines = ["\(entry.knownAt.rfc3339)  \(mark(of: entry.effect))  \(entry.sentence)".onOneLine]
        let indent = String(repeating: " ", count: 29)
        if !entry.outcome.isEmpty { lines.append("\(indent)-> \(entry.outcome)".onOneLine) }
        // What was told at once needs no second time.
        if entry.knownAt.since(entry.at) >= .seconds(60), ![.periodBegan, .periodEnded].contains(entry.what) {
            lines.append("\(indent)happened at \(entry.at.rfc3339)")
        }
        let origin = [
            entry.digest.map { "artifact \($0.rawValue.prefix(16))" }, entry.message.map { "message \($0)" },
        ].compactMap(\.self)
        if !origin.isEmpty { lines.append("\(indent)\(origin.joined(separator: ", "))".onOneLine) }
        return lines
    }

    private static func mark(of effect: TimelineEntry.Effect?) -> String {
        switch effect {
        case .began?: "+"
        case .ended?: "-"
        case .extended?: ">"
        case .shortened?: "<"
        case .otherTimes?: "~"
        default: "."
        }
    }
}
