internal import Messages

/// `tollgate users why`
struct UsersWhy: ToolCommand {
    private static let at = Option<Timestamp>(
        "--at", "TIME", "The time asked about, which may be to come; now unless given",
        expectation: PointInTime.expectation, parse: PointInTime.parse)
    private static let knownAt = Option<Timestamp>(
        "--known-at", "TIME", "The state of our knowledge: what came later is left out; now unless given",
        expectation: PointInTime.expectation, parse: PointInTime.parse)

    static let layout = CommandLayout(
        "users why",
        "Explains why a user has an entitlement, or has not: now or at any time, by what is known now or was known then",
        details: """
            --json is the answer of the edge's route …/why. An entitlement that nothing in the app ever unlocked is exit 1: \
            it may be mistyped.
            """,
        operands: [
            Operand("USER", "The user as the app names him"), Operand("ENTITLEMENT", "What is to be explained"),
        ],
        options: [Subject.organisation, Subject.app, UsersShow.environment, at, knownAt] + Conversation.options,
        example: """
            tollgate users why --organisation acme --app com.example.tunes user_1 pro --at 2026-11-30T08:15:00Z
            """)

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let organisation = try arguments.value(of: Subject.organisation)
        let (at, knownAt) = (try arguments.optional(Self.at), try arguments.optional(Self.knownAt))
        let question = UserWhy(
            organisation: organisation, app: try arguments.value(of: Subject.app),
            user: AppUserID(rawValue: arguments.operand(0)),
            entitlement: EntitlementID(rawValue: arguments.operand(1)),
            environment: try arguments.value(of: UsersShow.environment), at: at, knownAt: knownAt)
        let story = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let view = try await conversation.ask(question)
                .completed(for: question) { try await conversation.ask($0) }
            return EntitlementStory(question: question, view: view)
        }
        return try Output(
            story.text, json: WhyAnswer(story.view, of: question.user), status: story.isOfSomething ? .success : .failed
        )
    }
}
