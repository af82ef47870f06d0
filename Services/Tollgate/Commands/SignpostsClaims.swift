internal import Messages

/// `tollgate signposts claims`
struct SignpostsClaims: ToolCommand {
    static let layout = CommandLayout(
        "signposts claims", "Says who may claim names of events for an app: attested callers alone, or anybody",
        details: """
            What is claimed already everybody may use. Without WHO it says what is so now, and without --yes it changes \
            nothing. With attested, events of other callers under new names are dropped as name_unclaimable.
            """,
        operands: [Operand("WHO", "attested or anybody", isRequired: false)],
        options: [Subject.organisation, Subject.app, OperatorOptions.yes, OperatorOptions.by] + Conversation.options,
        example: "tollgate signposts claims --organisation acme --app com.example.tunes attested --yes")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let organisation = try arguments.value(of: Subject.organisation)
        let app = try arguments.value(of: Subject.app)
        let who = arguments.operands(from: 0).first
        guard who.map(["attested", "anybody"].contains) ?? !arguments.isSet(OperatorOptions.yes) else {
            throw arguments.wrong("WHO is attested or anybody")
        }
        let claims: Trust? = who == "attested" ? .attested : nil
        let isDone = arguments.isSet(OperatorOptions.yes)
        let book = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            guard isDone else { return try await conversation.ask(EventNameList(organisation: organisation, app: app)) }
            return try await conversation.command(
                EventNameRule(organisation: organisation, app: app, claims: claims))
        }
        func state(_ claims: Trust?) -> String { claims == nil ? "anybody" : "attested callers alone" }
        let now = "\(state(book.claims)) may claim names for \(app)".onOneLine
        guard !isDone, who != nil, state(book.claims) != state(claims) else { return try Output(now, json: book) }
        return try Output("\(now) so far, and nothing was changed; --yes lets \(state(claims)) claim them", json: book)
    }
}
