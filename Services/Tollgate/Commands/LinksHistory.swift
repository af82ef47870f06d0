internal import Messages

/// `tollgate links history`
struct LinksHistory: ToolCommand {
    static let knownAt = Option<Timestamp>(
        "--known-at", "TIME", "As it was known then", expectation: PointInTime.expectation, parse: PointInTime.parse)

    static let layout = CommandLayout(
        "links history", "Says who claimed a transaction, whose it was and is, and what stores signed about it",
        details: """
            Each claim with what it did: established, raised, repeated, moved, moved_inactive; or why it did not get the \
            link: outranked, anonymous, kept, still_active; and what operators said: pinned, unpinned. Each piece of \
            evidence with when it became known, and whether it counts. Of a time in the past what came later is left \
            out; what each claim did is told as it is judged today.
            """,
        operands: [ChainSubject.operand], options: ChainSubject.options + [knownAt] + Conversation.options,
        example: "tollgate links history 2000000900000001 --organisation acme --app com.example.tunes")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try ChainSubject(from: arguments)
        let time = try arguments.optional(knownAt)
        let history = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await subject.history(knownAt: time, conversation)
        }
        return try Output(history.text(of: subject.original), json: history)
    }
}
