internal import Messages

/// `tollgate apps list`
struct AppsList: ToolCommand {
    static let layout = CommandLayout(
        "apps list", "Says every app of an organisation", options: [Subject.organisation] + Conversation.options,
        example: "tollgate apps list --organisation acme")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let organisation = try arguments.value(of: Subject.organisation)
        let snapshot = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.ask(RegistrySnapshot(omitsDevices: true))
        }
        let apps = snapshot.apps.filter { $0.organisation == organisation }.sorted { $0.app < $1.app }
        let text = apps.isEmpty ? "\(organisation) has no apps" : apps.map(\.text).joined(separator: "\n")
        return try Output(text, json: apps)
    }
}
