internal import Messages

/// Which experiment a command is about.
struct NamedExperiment: Sendable {
    static let operand = Operand("EXPERIMENT", "Its id, as experiments list shows it")

    let organisation: OrganisationID
    let app: AppID
    let experiment: ExperimentID

    /// - Throws: a usage error where it is no id.
    init(_ arguments: Arguments) throws {
        organisation = try arguments.value(of: Subject.organisation)
        app = try arguments.value(of: Subject.app)
        experiment = ExperimentID(rawValue: arguments.operand(0))
        guard experiment.isGood else { throw arguments.wrong("EXPERIMENT: expected \(ExperimentID.expectation)") }
    }

    /// The experiment as it is now.
    ///
    /// - Throws: ``ToolFailure`` where there is none.
    func record(in conversation: Conversation) async throws -> Experiment {
        let page = try await conversation.ask(
            ExperimentList(organisation: organisation, app: app, experiment: experiment))
        guard let found = page.experiments.first else {
            throw ToolFailure(
                .failed, "\(app) has no experiment \(experiment)", advice: "tollgate experiments list names them")
        }
        return found
    }
}
