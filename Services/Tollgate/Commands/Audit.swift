internal import Messages

/// `tollgate audit`
struct Audit: ToolCommand {
    static let limit = Option.number(
        "--limit", "N", "How many entries", in: 1...100_000, default: 50)

    static let layout = CommandLayout(
        "audit",
        "Says what operators have changed: who, what, how many, from which preview",
        options: [DeadSelection.service, DeadSelection.since, limit] + Conversation.options,
        example: "tollgate audit --since 24h")

    struct Entry: Encodable {
        var service: ServiceName
        var partition: Int
        var entry: AuditPageGet.Entry
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let since = try arguments.optional(DeadSelection.since) ?? .distantPast
        let limit = try arguments.value(of: limit)
        let selection = try DeadSelection.services(arguments.all(DeadSelection.service))
        let (entries, silent) = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let office = DeadLetterOffice(conversation: conversation)
            let (places, silent) = try await office.places(of: selection)
            var entries: [Entry] = []
            for place in places { entries += try await Self.entries(at: place, since: since, limit: limit, office) }
            entries.sort { $0.entry.lastAt > $1.entry.lastAt }
            return (Array(entries.prefix(limit)), silent)
        }
        let lines = entries.isEmpty ? ["nothing has been done"] : entries.map(text)
        return try Output((lines + silent.map { "\($0) does not answer" }).joined(separator: "\n"), json: entries)
    }

    private static func entries(at place: Place, since: Timestamp, limit: Int, _ office: DeadLetterOffice)
        async throws -> [Entry]
    {
        var entries: [Entry] = []
        var cursor: Int?
        repeat {
            let page = try await office.ask(
                AuditPageGet(partition: place.partition, before: cursor, limit: min(1000, limit)), at: place)
            entries += page.entries.filter { $0.lastAt >= since }
                .map { Entry(service: place.service, partition: place.partition, entry: $0) }
            guard page.next.map({ $0 < cursor ?? .max }) ?? true else { break }
            cursor = page.next
        } while cursor != nil && entries.count < limit
        return entries
    }

    /// To what a deed was done, if not to letters.
    private static let things = [
        "undo_link": "link", "unpin_link": "link", "resend_links": "link", "erase_user": "user", "put_app": "app",
        "add_key": "key", "revoke_key": "key", "revoke_device": "device", "map_product": "product",
        "set_paywall": "paywall", "set_placement": "placement", "create_experiment": "experiment",
        "start_experiment": "experiment", "change_experiment": "experiment", "stop_experiment": "experiment",
        "rule_names": "rule", "release_names": "name", "reverify": "verdict",
    ]

    private static func text(_ entry: Entry) -> String {
        let deed = entry.entry
        let why = deed.why.map { ": \(DeadLetterText.cut($0, to: 200))" } ?? ""
        let thing = Self.things[deed.deed] ?? "letter"
        let letters = deed.count == 1 ? "1 \(thing)" : "\(deed.count) \(thing)s"
        let filter = deed.filter?.asOptions.map { "; \($0)" } ?? ""
        let time = deed.lastAt == deed.at ? deed.at.rfc3339 : "\(deed.at.rfc3339) to \(deed.lastAt.rfc3339)"
        return
            "\(time)  \(deed.by)  \(deed.deed)  \(letters) at \(entry.service).\(entry.partition)\(why)  (\(deed.run)\(filter))"
            .onOneLine
    }
}

extension LetterFilter {
    /// The conditions as options would say them; nil for none.
    fileprivate var asOptions: String? {
        let lists: [(String, [String]?)] = [
            ("kind", kinds), ("reason", reasons), ("step", steps), ("key", keys), ("died-in", versions),
            ("id", (ids ?? []) + (numbers ?? []).map(String.init)), ("text", self.text.map { [$0] }),
            ("since", since.map { [$0.rfc3339] }), ("until", until.map { [$0.rfc3339] }),
        ]
        let texts = lists.flatMap { name, values in (values ?? []).prefix(5).map { "--\(name) \($0)" } }
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }
}
