internal import Messages

/// `tollgate dead show`
struct DeadShow: ToolCommand {
    static let layout = CommandLayout(
        "dead show", "Shows one dead letter with every property and header, and its body",
        details: "Those in the archive too. An original body stands beside an edited one.",
        operands: [Operand("ID", "A message's id, or SERVICE.PARTITION/NUMBER as list shows it")],
        options: Conversation.options, example: "tollgate dead show receipt-validator.0/17")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let selection = try DeadSelection.one(arguments.operand(0))
        let (place, letter) = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await DeadLetterOffice(conversation: conversation).letter(selection)
        }
        return try Output(
            DeadLetterText.page(letter, at: place, now: .now),
            json: DeadList.Page.Entry(service: place.service, partition: place.partition, letter: letter))
    }
}
