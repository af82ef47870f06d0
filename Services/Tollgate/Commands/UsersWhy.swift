internal import Messages

/// `tollgate users why`
struct UsersWhy: ToolCommand {
    private static let timeExpectation = "an RFC 3339 time such as 2026-11-30T08:15:00Z, or milliseconds since 1970"
    private static let at = Option<Timestamp>(
        "--at", "TIME", "The time asked about, which may be to come; now unless given",
        expectation: timeExpectation, parse: Timestamp.init(argument:))
    private static let knownAt = Option<Timestamp>(
        "--known-at", "TIME", "The state of our knowledge: what came later is left out; now unless given",
        expectation: timeExpectation, parse: Timestamp.init(argument:))

    static let layout = CommandLayout(
        "users why",
        "Explains why a user has an entitlement, or has not: now or at any time, by what is known now or was known then",
        operands: [
            Operand("USER", "The user as the app names him"), Operand("ENTITLEMENT", "What is to be explained"),
        ],
        options: [Subject.organisation, Subject.app, UsersShow.environment, at, knownAt] + Conversation.options,
        example: """
            tollgate users why --organisation acme --app com.example.tunes user_1 pro --at 2026-11-30T08:15:00Z
            """)

    /// How many chains are asked for at a time.
    private static let width = 8

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let organisation = try arguments.value(of: Subject.organisation)
        let (at, knownAt) = (try arguments.optional(Self.at), try arguments.optional(Self.knownAt))
        let question = UserWhy(
            organisation: organisation, app: try arguments.value(of: Subject.app),
            user: AppUserID(rawValue: arguments.operand(0)),
            entitlement: EntitlementID(rawValue: arguments.operand(1)),
            environment: try arguments.value(of: UsersShow.environment), at: at, knownAt: knownAt)
        let story = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            var view = try await conversation.ask(question)
            let histories = try await histories(
                of: view.chains, in: organisation, knownAt: knownAt, over: conversation)
            view.timeline = Timeline.merging(view.timeline + histories.flatMap(\.entries))
            view.isTruncated = view.isTruncated || histories.contains(where: \.isTruncated)
            return EntitlementStory(question: question, view: view)
        }
        return try Output(story.text, json: story.view)
    }

    private static func histories(
        of chains: [UserWhyView.Chain], in organisation: OrganisationID, knownAt: Timestamp?,
        over conversation: Conversation
    ) async throws -> [ChainHistoryView] {
        try await withThrowingTaskGroup(of: ChainHistoryView.self) { group in
            var found: [ChainHistoryView] = []
            for (index, chain) in chains.enumerated() {
                if index >= width, let history = try await group.next() { found.append(history) }
                let question = ChainHistory(
                    organisation: organisation, realm: chain.realm,
                    originalTransactionID: chain.originalTransactionID, knownAt: knownAt)
                group.addTask { try await conversation.ask(question) }
            }
            for try await history in group { found.append(history) }
            return found
        }
    }
}

extension Timestamp {
    /// RFC 3339, or milliseconds since 1970.
    fileprivate init?(argument text: String) {
        if let time = Timestamp(rfc3339: text) {
            self = time
        } else if let milliseconds = Int64(text) {
            self.init(clamping: milliseconds)
        } else {
            return nil
        }
    }
}
