internal import Messages

/// What a replay would come to, as far as it was tried.
struct DeadForecast: Encodable, Sendable {
    /// Names the preview.
    var run: MessageID
    /// How many letters it has.
    var selected = 0
    /// How many of them only `--force` replays.
    var guarded = 0
    var oldest: Timestamp?
    var newest: Timestamp?
    /// How many were tried.
    var tried = 0
    var outcomes: [OutcomeCount] = []
    /// The services that were not asked because they do not answer.
    var silent: [ServiceName] = []
    /// How many each service has in it.
    var services: [String: Int] = [:]
    /// How many of them are in the archive.
    var discarded = 0
    /// How many were left out because nothing is kept of what they said.
    var forgotten = 0
    /// Some of them, where the letters themselves are to be seen.
    var examples: [DeadList.Page.Entry] = []

    mutating func add(_ frozen: DeadFreeze.Value, at place: Place) {
        selected += frozen.count
        guarded += frozen.guarded
        if frozen.count > 0 { services[place.service.rawValue, default: 0] += frozen.count }
        discarded += frozen.discarded ?? 0
        forgotten += frozen.forgotten ?? 0
        oldest = [oldest, frozen.oldest].compactMap { $0 }.min()
        newest = [newest, frozen.newest].compactMap { $0 }.max()
    }

    mutating func add(_ value: DeadForetell.Value) {
        tried += value.outcomes.reduce(0) { $0 + $1.count }
        outcomes = OutcomeCount.merged(outcomes + value.outcomes)
    }

    private static let words: [(ReplayOutcome, String)] = [
        (.applied, "would be applied"), (.nothingToDo, "would change nothing: applied before, or known"),
        (.overtaken, "have been overtaken by something newer"), (.refused, "would be applied, and the answer is no"),
        (.failed, "would fail again"), (.nowhere, "would go nowhere: their service takes no such kind"),
        (.forwarded, "would go to another partition, which owns their key now"),
        (.untried, "not tried: a process may have died of them"),
    ]

    private var leftOut: String {
        "\(forgotten) left out: forgotten, nothing is kept of what \(forgotten == 1 ? "it" : "they") said"
    }

    /// That nothing is selected, and why.
    var none: String {
        (["no dead letters are selected"] + (forgotten > 0 ? [leftOut] : [])
            + silent.map { "\($0) does not answer: its letters are not selected" }).joined(separator: "\n")
    }

    /// - Parameters:
    ///   - verb: what is done to them with `--yes`.
    ///   - options: those that say how; without them something else would be done than was foretold.
    func text(_ verb: String, _ options: [String] = []) -> String {
        guard selected > 0 else { return none }
        let now = Timestamp.now
        var lines = ["\(selected) dead letter\(selected == 1 ? "" : "s") selected"]
        if let oldest, let newest {
            let (first, last) = (DeadLetterText.age(of: oldest, at: now), DeadLetterText.age(of: newest, at: now))
            lines[0] += first == last ? ", died \(first) ago" : ", died between \(first) and \(last) ago"
        }
        if guarded > 0 { lines.append("\(guarded) of them need --force: replayed in vain so often, or deadly") }
        if tried > 0 {
            lines.append(
                tried == selected ? "tried, and undone:" : "\(tried) of them tried, and undone (--try N tries more):")
        }
        for (outcome, words) in Self.words {
            for one in outcomes where one.outcome == outcome {
                let such = one.count == 1 ? ":" : ", such as:"
                let why = one.reason.map { " (\($0)\(such) \(DeadLetterText.cut(one.text ?? "", to: 100)))" } ?? ""
                lines.append("  \(one.count) \(words)\(why)".onOneLine)
            }
        }
        if !examples.isEmpty {
            let places = services.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }
            lines.append(
                "  \(places.joined(separator: ", ")); \(discarded) in the archive; the newest of each partition:")
            lines += examples.map {
                DeadLetterText.entry($0.letter, at: Place(service: $0.service, partition: $0.partition), now: now)
            }
        }
        if forgotten > 0 { lines.append(leftOut) }
        lines += silent.map { "\($0) does not answer: its letters are not selected" }
        let how = options.map { " \($0)" }.joined()
        lines.append("nothing has been changed. To \(verb) exactly these: --preview \(run) --yes\(how)")
        return lines.joined(separator: "\n")
    }
}
