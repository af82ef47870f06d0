internal import Messages

/// The user that a command is about, as its operand and options name him: he is one for all apps of his organisation.
struct UserSubject: Sendable {
    static let organisation = Option<OrganisationID>(
        "--organisation", "ORG", "The organisation; that of --app unless given",
        expectation: OrganisationID.expectation,
        variable: "TOLLGATE_ORGANISATION", parse: Subject.name)
    static let app = Option<AppID>(
        "--app", "BUNDLE_ID", "An app of the organisation, by its bundle id", expectation: AppID.expectation,
        parse: Subject.name)
    static let options: [any OptionDescription] = [organisation, app]

    let user: AppUserID
    private let organisation: OrganisationID?
    private let app: AppID?

    init(from arguments: Arguments) throws {
        user = AppUserID(rawValue: arguments.operand(0))
        organisation = try arguments.optional(Self.organisation)
        app = try arguments.optional(Self.app)
        guard user.isAcceptable else { throw arguments.wrong("USER has 1 to 256 bytes, none of them zero") }
        guard organisation != nil || app != nil else {
            throw arguments.wrong("--organisation or --app says whose user he is")
        }
    }

    /// Whose user he is.
    ///
    /// - Throws: ``ToolFailure`` for an app that is not there, or is in several organisations.
    func organisation(_ conversation: Conversation) async throws -> OrganisationID {
        guard let app else { return organisation ?? OrganisationID(rawValue: "") }
        let apps = try await conversation.apps()
            .filter { $0.app == app && (organisation == nil || $0.organisation == organisation) }
        guard let first = apps.first else {
            throw ToolFailure(
                .failed, "there is no app \(app)", advice: "tollgate apps list names those of an organisation")
        }
        guard apps.count == 1 else {
            let names = apps.map(\.organisation.rawValue).sorted().joined(separator: ", ")
            throw ToolFailure(
                .failed, "several organisations have \(app): \(names)", advice: "--organisation names one")
        }
        return first.organisation
    }
}
