internal import Messages
internal import Messaging

/// `tollgate users erase`
struct UsersErase: ToolCommand {
    static let wait = Option.number(
        "--wait", "SECONDS", "How long to wait until every partition has followed", in: 0...86_400, default: 60)

    static let layout = CommandLayout(
        "users erase",
        "Forgets a user: what was said of him, what he has, what he did, and that he ever claimed anything",
        details: """
            Without --yes it only says what would go, service by service. The transactions stay as stores signed them, \
            without the user: they are nobody's until somebody claims them anew. What was accepted before and comes late \
            does not bring him back; what is accepted from now on does. Dead letters that name him are counted; what is to \
            become of them is an operator's to say. A service that is away follows when it is back. It may be repeated: \
            exit 0 means that every partition of every service has followed.
            """,
        operands: [Operand("USER", "The user as his apps name him")],
        options: UserSubject.options + [wait, OperatorOptions.why, OperatorOptions.by, OperatorOptions.yes]
            + Conversation.options,
        example: "tollgate users erase user_1 --organisation acme --why 'request of 30 November' --yes")

    /// Between two looks at what is still to be done.
    private static let pause = Duration.milliseconds(200)

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try UserSubject(from: arguments)
        let user = subject.user
        let by = try OperatorOptions.name(from: arguments, in: surroundings)
        let why = try arguments.optional(OperatorOptions.why)
        let isDone = arguments.isSet(OperatorOptions.yes)
        let deadline = ContinuousClock.now + .seconds(try arguments.value(of: wait))
        let report = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let organisation = try await subject.organisation(conversation)
            var parts: [ErasureReport.Part] = []
            for keeper in UserKeeper.all {
                let found = try await keeper.traces(of: user, organisation, conversation)
                parts.append(ErasureReport.Part(service: keeper.service, before: found))
            }
            let letters = try await NamingLetters(of: user, organisation, conversation)
            var report = ErasureReport(
                organisation: organisation, user: user, isDone: isDone, parts: parts, letters: letters)
            guard isDone else { return report }
            let erasedAt = try await conversation.command(
                UserErase(organisation: organisation, user: user, by: by, why: why)
            ).erasedAt
            report.erasedAt = erasedAt
            while true {
                for (index, keeper) in UserKeeper.all.enumerated() where !report.parts[index].hasFollowed {
                    let found = try await keeper.traces(of: user, organisation, conversation)
                    report.parts[index].look(at: found, after: erasedAt)
                }
                if report.isComplete || ContinuousClock.now >= deadline { return report }
                // A partition does not announce that it is done.
                try await Task.sleep(for: pause)
            }
        }
        return try Output(
            report.text, json: report, status: report.isDone && !report.isComplete ? .unavailable : .success)
    }
}
