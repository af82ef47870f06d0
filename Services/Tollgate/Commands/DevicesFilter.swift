internal import Messages
internal import ServiceKit

/// Options that say which devices a command is about.
enum DevicesFilter {
    // Without the settings that stand in elsewhere: whoever means all of them has to be able to say so.
    static let organisation = Option<OrganisationID>(
        "--organisation", "ORG", "Only those of one organisation", expectation: OrganisationID.expectation,
        parse: Subject.name)
    static let app = Option<AppID>(
        "--app", "BUNDLE_ID", "Only those of one app", expectation: AppID.expectation, parse: Subject.name)
    static let environment = Option<AttestEnvironment>(
        "--environment", "NAME", "Only those that Apple has vouched for in this environment: production or development",
        expectation: "production or development"
    ) { name in AttestEnvironment.all.first { $0.rawValue == name } }
    static let state = Option<DevicesPage.State>(
        "--state", "STATE", "Only those that are active, or revoked", expectation: "active or revoked"
    ) { name in DevicesPage.State.all.first { $0.rawValue == name } }
    static let since = Option<Timestamp>(
        "--since", "TIME", "Only those that were attested then or later: a time, or how long ago",
        expectation: PointInTime.expectation, parse: PointInTime.parse)
    static let until = Option<Timestamp>(
        "--until", "TIME", "Only those that were attested before: a time, or how long ago",
        expectation: PointInTime.expectation, parse: PointInTime.parse)

    static let places: [any OptionDescription] = [organisation, app]
    static let all: [any OptionDescription] = places + [environment, state, since, until]
    static let operand = Operand("KEY_ID", "A device, as devices list names it", isRequired: false)

    /// The question with these filters.
    ///
    /// - Parameter keyID: empty for any device.
    static func question(from arguments: Arguments, keyID: String) throws -> DevicesPage {
        var question = DevicesPage()
        question.organisation = try arguments.optional(organisation)
        question.app = try arguments.optional(app)
        question.environment = try arguments.optional(environment)
        question.state = try arguments.optional(state)
        question.attestedFrom = try arguments.optional(since)
        question.attestedBefore = try arguments.optional(until)
        question.keyID = keyID.isEmpty ? nil : DeviceKeyID(rawValue: keyID)
        return question
    }
}

extension Conversation {
    /// Visits every page of devices, until `visit` says that it has seen enough.
    func devices(
        _ question: DevicesPage, visit: ([DeviceRecord]) async throws -> Bool
    ) async throws {
        var question = question
        while true {
            let page = try await ask(question)
            guard try await visit(page.devices), let next = page.next else { return }
            guard next != question.after else {
                throw ToolFailure(.failed, "\(DevicesPage.recipient) goes round in circles")
            }
            question.after = next
        }
    }
}
