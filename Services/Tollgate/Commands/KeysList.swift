internal import Messages

/// `tollgate keys list`
struct KeysList: ToolCommand {
    static let layout = CommandLayout(
        "keys list", "Says every key of an organisation, revoked ones too",
        options: [Subject.organisation] + Conversation.options, example: "tollgate keys list --organisation acme")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let organisation = try arguments.value(of: Subject.organisation)
        let snapshot = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.ask(RegistrySnapshot(omitsDevices: true))
        }
        let keys = snapshot.keys.filter { $0.organisation == organisation }.sorted { $0.id < $1.id }
        let text = keys.isEmpty ? "\(organisation) has no keys" : keys.map(\.text).joined(separator: "\n")
        return try Output(text, json: keys)
    }
}
