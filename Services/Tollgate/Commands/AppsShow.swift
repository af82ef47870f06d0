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

extension Conversation {
    /// An app that is connected.
    func app(_ app: AppID, of organisation: OrganisationID) async throws(ToolFailure) -> AppRecord {
        let snapshot = try await ask(RegistrySnapshot(omitsDevices: true))
        guard let record = snapshot.apps.first(where: { $0.app == app && $0.organisation == organisation }) else {
            throw ToolFailure(
                .failed, "\(organisation) has no app \(app)", advice: "tollgate apps add connects one")
        }
        return record
    }
}
