internal import Messages

/// `tollgate products list`
struct ProductsList: ToolCommand {
    static let layout = CommandLayout(
        "products list", "Says which entitlements an app's products unlock",
        options: [Subject.organisation, Subject.app] + Conversation.options,
        example: "tollgate products list --organisation acme --app com.example.tunes")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let list = MappingList(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app))
        let mappings = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let mappings = try await conversation.ask(list)
            // The resolver has no word for an app that is not there.
            if mappings.isEmpty { _ = try await conversation.app(list.app, of: list.organisation) }
            return mappings
        }
        let text = mappings.isEmpty ? "\(list.app) maps no products" : mappings.map(\.text).joined(separator: "\n")
        return try Output(text, json: mappings)
    }
}
