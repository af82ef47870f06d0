internal import Messages

/// `tollgate keys revoke`
struct KeysRevoke: ToolCommand {
    static let layout = CommandLayout(
        "keys revoke", "Ends a key: every edge refuses it from now on",
        operands: [Operand("NAME", "The key, as keys list names it")],
        options: [Subject.organisation, OperatorOptions.by] + Conversation.options,
        example: "tollgate keys revoke backend --organisation acme")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let revoke = KeyRevoke(
            organisation: try arguments.value(of: Subject.organisation), id: KeyID(rawValue: arguments.operand(0)))
        let record = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.command(revoke)
        }
        return try Output(record.text, json: record)
    }
}
