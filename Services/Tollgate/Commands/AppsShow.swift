internal import Messages

/// `tollgate apps show`
struct AppsShow: ToolCommand {
    static let layout = CommandLayout(
        "apps show", "Says every setting of an app",
        options: [Subject.organisation, Subject.app] + Conversation.options,
        example: "tollgate apps show --organisation acme --app com.example.tunes")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let (organisation, app) = (
            try arguments.value(of: Subject.organisation), try arguments.value(of: Subject.app)
        )
        let record = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.app(app, of: organisation)
        }
        let title = "\(app) of \(organisation), changed \(record.changedAt.rfc3339)"
        return try Output("\(title)\n\(AppSettings(record).text)", json: record)
    }
}
