internal import Messages

/// `tollgate signposts names`
struct SignpostsNames: ToolCommand {
    static let layout = CommandLayout(
        "signposts names", "Says which names of events an app has used, of the \(EventName.budget) that it may",
        details: """
            A name is the app's once an event with it was taken, until an operator takes it back (signposts release). By \
            whose word it was claimed is said: anybody can claim names, unless signposts claims says otherwise. An event \
            with another name is dropped as name_over_budget once they are used up: the metric \
            tollgate_events_dropped_total of event-ingest counts those that came over the queue, that of the edge those \
            that it turned away.
            """,
        options: [Subject.organisation, Subject.app] + Conversation.options,
        example: "tollgate signposts names --organisation acme --app com.example.tunes")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let question = EventNameList(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app))
        let book = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.ask(question)
        }
        let width = (book.names.map(\.name.rawValue.count).max() ?? 0) + 2
        let lines = book.names.map { entry in
            let claimed = entry.trust.map { ", claimed by an \($0) caller" } ?? ""
            return entry.name.rawValue.padded(to: width) + "since \(entry.since.rfc3339)\(claimed)"
        }
        let who = book.claims == nil ? "" : "; only attested callers claim more"
        let sum = "\(book.names.count) of \(EventName.budget) names used\(who)"
        return try Output((lines + [sum]).joined(separator: "\n").onEachLine, json: book)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Line by line, each of them harmless.
    fileprivate var onEachLine: String { split(separator: "\n").map { String($0).onOneLine }.joined(separator: "\n") }
}
