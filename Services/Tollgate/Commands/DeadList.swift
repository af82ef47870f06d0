internal import Messages

/// `tollgate dead list`
struct DeadList: ToolCommand {
    static let limit = Option.number(
        "--limit", "N", "How many letters", in: 1...1000, default: 20)
    static let after = Option.text("--after", "CURSOR", "Go on where a page ended; it names this at its end")
    static let discarded = Flag("--discarded", "Those in the archive")

    static let names = Flag("--names", "Only their names, SERVICE.PARTITION/NUMBER, for other commands")

    static let layout = CommandLayout(
        "dead list", "Lists dead letters, the newest first",
        details: """
            A dead letter is a message that no verdict could be reached on. It waits in the store of its service until \
            somebody replays or discards it. \(DeadStraight.details)
            """,
        options: DeadSelection.options + [limit, after, discarded, names, DeadStraight.straight] + Conversation.options,
        example: "tollgate dead list --reason undecodable --since 2h")

    struct Page: Encodable {
        struct Entry: Encodable {
            var service: ServiceName
            var partition: Int
            var letter: DeadLetterView
        }
        var letters: [Entry]
        var silent: [ServiceName]
        /// Give it as `--after`; absent at the end.
        var next: String?
        /// How many wait in the queue, where that was read itself.
        var ready: Int?
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        if arguments.isSet(DeadStraight.straight) {
            return try await DeadStraight.list(arguments, in: surroundings, limit: arguments.value(of: limit))
        }
        let selection = try DeadSelection(from: arguments, isDiscarded: arguments.isSet(discarded))
        let limit = try arguments.value(of: limit)
        let cursors = try arguments.optional(after).map { try Self.cursors($0, arguments) } ?? [:]
        let page = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let office = DeadLetterOffice(conversation: conversation)
            let (places, silent) = try await office.places(of: selection)
            var found: [(place: Place, letter: DeadLetterView)] = []
            for place in places {
                guard let filter = selection.filter(at: place) else { continue }
                var letters: [DeadLetterView] = []
                try await office.forEachPage(
                    filter, at: place, before: cursors[place], limit: limit + 1, isWhole: false
                ) { page in
                    letters += page
                    return letters.count <= limit
                }
                found += letters.map { (place, $0) }
            }
            found.sort {
                ($1.letter.lastFailure, $1.place, $1.letter.number) < (
                    $0.letter.lastFailure, $0.place, $0.letter.number
                )
            }
            // A partition's own letters are told in the order of their numbers, or its cursor would leave some out.
            var ends = cursors
            for (place, letter) in found.prefix(limit) { ends[place] = min(ends[place] ?? .max, letter.number) }
            let shown = found.filter { place, letter in ends[place].map { letter.number >= $0 } ?? false }
            let next = ends.sorted { $0.key < $1.key }.map { "\($0.key)/\($0.value)" }.joined(separator: ",")
            return Page(
                letters: shown.map {
                    Page.Entry(service: $0.place.service, partition: $0.place.partition, letter: $0.letter)
                }, silent: silent, next: found.count > shown.count ? next : nil)
        }
        let names = page.letters.map { "\($0.service).\($0.partition)/\($0.letter.number)" }
        return try Output(arguments.isSet(Self.names) ? names.joined(separator: "\n") : text(page), json: page)
    }

    private static func cursors(_ text: String, _ arguments: Arguments) throws -> [Place: Int] {
        var cursors: [Place: Int] = [:]
        for part in text.split(separator: ",") {
            guard let (place, number) = DeadSelection.handle(String(part)) else {
                throw arguments.wrong("--after \(text): expected what a page has named at its end")
            }
            cursors[place] = number
        }
        return cursors
    }

    private static func text(_ page: Page) -> String {
        let now = Timestamp.now
        var lines = page.letters.map {
            DeadLetterText.entry($0.letter, at: Place(service: $0.service, partition: $0.partition), now: now)
        }
        if lines.isEmpty { lines.append("no dead letters") }
        if let next = page.next { lines.append("more: --after \(next)") }
        return (lines + page.silent.map { "\($0) does not answer" }).joined(separator: "\n")
    }
}
