internal import Messages

/// `tollgate apps set`
struct AppsSet: ToolCommand {
    static let dryRun = Flag("--dry-run", "Only say what would change")

    static let layout = CommandLayout(
        "apps set", "Changes settings of an app that is there: what is not said stays as it is",
        details: """
            Says of each setting that changes what it was and what it is. Edges follow within a second. Which proxies are \
            believed (X-Forwarded-For) is a setting of the edges, TOLLGATE_PROXIES, not of an app.
            """,
        options: [Subject.organisation, Subject.app] + AppSettingOptions.all + [dryRun, OperatorOptions.by]
            + Conversation.options,
        example: "tollgate apps set --organisation acme --app com.example.tunes --team-id A1B2C3D4E5 --limit-device 60")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let put = try AppSettingOptions.put(arguments)
        guard AppSettingOptions.all.contains(where: { arguments.isSet($0) }) else {
            throw arguments.wrong("what is to be set? At least one setting is needed")
        }
        let isDryRun = arguments.isSet(dryRun)
        let (before, after) = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let before = try await conversation.app(put.app, of: put.organisation)
            return (before, isDryRun ? before.set(by: put) : try await conversation.command(put))
        }
        let report = AppsSetReport(
            app: after, changes: AppSettings.changes(from: before, to: after), isDryRun: isDryRun)
        return try Output(report.text, json: report)
    }
}

/// What has changed, or would.
struct AppsSetReport: Encodable, Sendable {
    let app: AppRecord
    let changes: [AppSettings.Change]
    let isDryRun: Bool

    var text: String {
        let name = "\(app.app) of \(app.organisation)"
        guard !changes.isEmpty else { return "\(name): nothing \(isDryRun ? "would change" : "changes")" }
        let verb = isDryRun ? "would be" : "is"
        let lines = changes.map { "  \($0.setting): was \($0.was), \(verb) \($0.is)" }
        return (["\(name):"] + lines + (isDryRun ? ["nothing was changed"] : [])).joined(separator: "\n")
    }
}
