package import Messages

/// What became of a selection, letter by letter put together; the counts add up to the selection.
package struct DeadReplayReport: Encodable, Sendable {
    /// Names the preview.
    package var run: MessageID
    /// How many letters were selected.
    package var selected: Int
    /// By outcome and reason, the largest first.
    package var outcomes: [OutcomeCount]
    /// Why it ended before its end; absent: it did not.
    package var stopped: String?

    /// A report of these.
    package init(run: MessageID, outcomes: [OutcomeCount], stopped: String? = nil) {
        self.run = run
        self.outcomes = OutcomeCount.merged(outcomes)
        self.stopped = stopped
        selected = outcomes.reduce(0) { $0 + $1.count }
    }

    /// How many came to one of `outcomes`.
    package func count(_ names: ReplayOutcome...) -> Int {
        outcomes.reduce(0) { $0 + (names.contains($1.outcome) ? $1.count : 0) }
    }

    /// Still to be sent.
    package var remaining: Int { count(.frozen, .sending) }
    /// Sent, and nothing has been heard of it.
    package var onTheWay: Int { count(.sent) }
    /// Ran in vain, for now or again for good, or cannot be sent at all.
    package var failing: Int { count(.failed, .retrying, .unsendable) }
    /// Of which is known how it went.
    package var known: Int { selected - remaining - onTheWay - count(.guarded, .gone) }
    /// Every letter that could be replayed was, and none failed.
    package var isGood: Bool {
        remaining == 0 && onTheWay == 0 && failing == 0 && count(.guarded) == 0 && stopped == nil
    }

    private enum CodingKeys: String, CodingKey {
        case run, selected, outcomes, stopped
    }

    private static let words: [(ReplayOutcome, String)] = [
        (.applied, "applied"), (.nothingToDo, "nothing to do: applied before"),
        (.overtaken, "overtaken by something newer"), (.refused, "applied, and the answer is no"),
        (.failed, "failed again, and are dead letters as before"), (.retrying, "failed for now: in the retry ladder"),
        (.forwarded, "passed on to the partition that owns their key"), (.sent, "on the way"),
        (.unsendable, "cannot be sent: their properties leave no room; they stay dead letters"),
        (.guarded, "held back: replayed in vain so often, or deadly; --force does them"),
        (.gone, "gone: replayed or discarded by somebody else"), (.discarded, "discarded"), (.restored, "restored"),
        (.forgotten, "forgotten: nothing is kept of what they said"),
        (.frozen, "not sent yet"), (.sending, "may have been sent: the broker has not said so"),
    ]

    /// For people.
    package var text: String {
        var lines: [String] = []
        for (outcome, words) in Self.words {
            let own = outcomes.filter { $0.outcome == outcome }
            let count = own.reduce(0) { $0 + $1.count }
            guard count > 0 else { continue }
            lines.append("  \(Self.padded(count))  \(words)")
            for one in own {
                guard let reason = one.reason else { continue }
                let example = one.text.map { ", such as: \(DeadLetterText.cut($0, to: 120))" } ?? ""
                lines.append("            \(one.count) \(reason)\(example)".onOneLine)
            }
        }
        lines.append("  \(Self.padded(selected))  in all")
        if let stopped { lines.append("stopped: \(stopped)") }
        return lines.joined(separator: "\n")
    }

    private static func padded(_ count: Int) -> String {
        let text = String(count)
        return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
}
