internal import Messages
internal import ServiceKit

/// `tollgate signposts tail`
struct SignpostsTail: ToolCommand {
    static let organisation = Option<OrganisationID>(
        "--organisation", "ORG", "Only those of one organisation", expectation: OrganisationID.expectation,
        variable: "TOLLGATE_ORGANISATION", parse: Subject.name)
    static let app = Option<AppID>(
        "--app", "BUNDLE_ID", "Only those of one app", expectation: AppID.expectation, parse: Subject.name)
    static let user = Option.text("--user", "USER", "Only those of one user, as the app names him")
    static let name = Option<EventName>(
        "--name", "NAME", "Only those of one name", expectation: EventName.expectation
    ) { text in
        let name = EventName(rawValue: text)
        return name.isGood ? name : nil
    }
    static let limit = Option.number("--limit", "N", "How many at most", in: 1...100_000, default: 50)
    static let from = Option<SignpostsWalk.Position>(
        "--from", "POSITION", "Go on where the list before has ended, as it said",
        expectation: "a position such as 17.-.455", parse: SignpostsWalk.Position.init)
    static let follow = Flag("--follow", "Then those that come, as they come, until Ctrl-C is pressed")
    static let interval = Option<Duration>(
        "--interval", "DURATION", "Between two looks at what has come", expectation: "a duration such as 500ms",
        default: "500ms"
    ) { Duration(settingText: $0) }
    static let count = Option.number(
        "--count", "N", "With --follow: end after so many that came", in: 1...1_000_000_000, default: 1_000_000_000)

    static let layout = CommandLayout(
        "signposts tail", "Shows the events of users: the newest first, or as they come",
        details: """
            An event is shown once its name is the app's. At its beginning stands when it happened, as far as the caller is \
            believed. With --follow the newest ones come last, and with --json each is a line.
            """,
        options: [organisation, app, user, name, limit, from, follow, interval, count] + Conversation.options,
        example: "tollgate signposts tail --app com.example.tunes --name paywall_viewed --follow")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        var question = SignpostsPage(partition: 0)
        question.organisation = try arguments.optional(organisation)
        question.app = try arguments.optional(app)
        question.user = try arguments.optional(user).map(AppUserID.init(rawValue:))
        question.name = try arguments.optional(name)
        let limit = try arguments.value(of: limit)
        let start = try arguments.optional(from)
        guard arguments.isSet(follow) else {
            let (events, next) = try await Conversation.open(arguments, in: surroundings) {
                [question] conversation, _ in
                try await newest(question, from: start, limit: limit, conversation)
            }
            let text = events.isEmpty ? "there are none" : events.map(\.line).joined(separator: "\n")
            return try Output(text, json: events, remark: next.map { "there are more; --from \($0) goes on" })
        }
        guard start == nil else { throw arguments.wrong("--from does not go with --follow") }
        let interval = try arguments.value(of: interval)
        let count = try arguments.value(of: count)
        let isJSON = arguments.isSet(CommandLayout.json)
        try await Conversation.open(arguments, in: surroundings) { [question] conversation, _ in
            let partitions = try await ServicePartitions(of: SignpostsPage.recipient, conversation)
            func show(_ events: [StoredEvent]) throws {
                for event in events {
                    let line = isJSON ? String(decoding: try MessageJSON.encode(event), as: UTF8.self) : event.line
                    try surroundings.write(line + "\n")
                }
            }
            var followed = try await Followed(question, partitions)
            let (before, _) = try await newest(question, from: followed.position, limit: limit, conversation)
            try show(before.reversed())
            var shown = 0
            while shown < count, !Task.isCancelled {
                let events = try await followed.next(partitions).prefix(count - shown)
                shown += events.count
                try show(Array(events))
                // What has come does not announce itself, and the operator has said how often to look.
                if shown < count { try await Task.sleep(for: interval) }
            }
        }
        return Output(jsonText: "")
    }

    private static func newest(
        _ question: SignpostsPage, from start: SignpostsWalk.Position?, limit: Int, _ conversation: Conversation
    ) async throws -> (events: [StoredEvent], next: SignpostsWalk.Position?) {
        let partitions = try await ServicePartitions(of: SignpostsPage.recipient, conversation)
        do {
            return try await SignpostsWalk.newest(question, from: start, limit: limit) { try await partitions.ask($0) }
        } catch let refusal as Refusal {
            throw ToolFailure(.failed, "\(refusal)", advice: "without --from it begins at the newest")
        }
    }
}

/// How far the events of each partition have been followed.
private struct Followed {
    private var questions: [SignpostsPage] = []

    /// From the newest of now on.
    init(_ question: SignpostsPage, _ partitions: ServicePartitions) async throws {
        for partition in 0..<partitions.count {
            var question = question
            (question.partition, question.isForward) = (partition, true)
            question.after = try await partitions.ask(question).next
            questions.append(question)
        }
    }

    /// Behind which all lies that it will not tell.
    var position: SignpostsWalk.Position {
        SignpostsWalk.Position(places: questions.map { ($0.after.flatMap { Int64($0) } ?? 0) + 1 })
    }

    /// What has come since, in the order in which it was stored.
    mutating func next(_ partitions: ServicePartitions) async throws -> [StoredEvent] {
        var events: [StoredEvent] = []
        for index in questions.indices {
            let page = try await partitions.ask(questions[index])
            questions[index].after = page.next ?? questions[index].after
            events += page.events
        }
        return events.sorted { ($0.storedAt, $0.place ?? 0) < ($1.storedAt, $1.place ?? 0) }
    }
}

extension StoredEvent {
    /// A line for people.
    var line: String {
        let said = properties.flatMap { try? MessageJSON.encode($0) }.map { String(decoding: $0, as: UTF8.self) }
        let parts = [at.rfc3339, "\(organisation)/\(app)", user.rawValue, name.rawValue, said, "(\(trust))"]
        return parts.compactMap { $0 }.joined(separator: " ").onOneLine
    }
}
