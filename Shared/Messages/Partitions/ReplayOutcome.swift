/// What became of a letter of a frozen selection.
public struct ReplayOutcome: RawRepresentable, Codable, Hashable, Sendable {
    /// `snake_case`, stable.
    public let rawValue: String
    /// Takes any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing yet.
    public static let frozen = ReplayOutcome(rawValue: "frozen")
    /// It may have been sent: the broker has not said so.
    public static let sending = ReplayOutcome(rawValue: "sending")
    /// The broker has it on the partition's queue.
    public static let sent = ReplayOutcome(rawValue: "sent")
    /// It ran, and waits in the retry ladder.
    public static let retrying = ReplayOutcome(rawValue: "retrying")
    /// It ran, and its effect is stored.
    public static let applied = ReplayOutcome(rawValue: "applied")
    /// It ran, and the answer is no.
    public static let refused = ReplayOutcome(rawValue: "refused")
    /// It had been applied before, or said what is known.
    public static let nothingToDo = ReplayOutcome(rawValue: "nothing_to_do")
    /// It ran, and something newer is known than what it says.
    public static let overtaken = ReplayOutcome(rawValue: "overtaken")
    /// It ran, and is a dead letter again.
    public static let failed = ReplayOutcome(rawValue: "failed")
    /// It was passed on to the partition that owns its key now.
    public static let forwarded = ReplayOutcome(rawValue: "forwarded")
    /// It was gone: replayed or discarded meanwhile by somebody else.
    public static let gone = ReplayOutcome(rawValue: "gone")
    /// It has been replayed so often, or the process died of it: only `--force` does it.
    public static let guarded = ReplayOutcome(rawValue: "guarded")
    /// With what a replay adds, its properties fit into no frame. It stays where it is.
    public static let unsendable = ReplayOutcome(rawValue: "unsendable")
    /// No handler takes its kind. Foretold only: it would fail.
    public static let nowhere = ReplayOutcome(rawValue: "nowhere")
    /// It is not tried beforehand: the process might die of it.
    public static let untried = ReplayOutcome(rawValue: "untried")
    /// An operator has discarded it.
    public static let discarded = ReplayOutcome(rawValue: "discarded")
    /// An operator has taken it back from the archive.
    public static let restored = ReplayOutcome(rawValue: "restored")
    /// Nothing is kept of what it said: an operator has let it be forgotten.
    public static let forgotten = ReplayOutcome(rawValue: "forgotten")
}

/// How many letters came to one outcome for one reason.
public struct OutcomeCount: Codable, Sendable, Hashable {
    /// What became of them.
    public var outcome: ReplayOutcome
    /// Why, for those that failed or were refused.
    public var reason: String?
    /// How many.
    public var count: Int
    /// The number of one of them.
    public var example: Int
    /// What is said of that one.
    public var text: String?

    /// A count of these.
    public init(outcome: ReplayOutcome, reason: String?, count: Int, example: Int, text: String?) {
        self.outcome = outcome
        self.reason = reason
        self.count = count
        self.example = example
        self.text = text
    }
}

extension OutcomeCount {
    /// Counts of one outcome and reason put together, the largest first; the first example stands for all.
    public static func merged(_ counts: [OutcomeCount]) -> [OutcomeCount] {
        var merged: [[String?]: OutcomeCount] = [:]
        for count in counts {
            let name = [count.outcome.rawValue, count.reason]
            if merged[name] == nil { merged[name] = count } else { merged[name]?.count += count.count }
        }
        return merged.values.sorted {
            ($1.count, $0.outcome.rawValue, $0.reason ?? "") < ($0.count, $1.outcome.rawValue, $1.reason ?? "")
        }
    }
}
