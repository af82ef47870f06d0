internal import Messages

/// `tollgate experiments list`
struct ExperimentsList: ToolCommand {
    static let layout = CommandLayout(
        "experiments list", "Lists an app's experiments, whatever has become of them",
        options: [Subject.organisation, Subject.app] + Conversation.options,
        example: "tollgate experiments list --organisation acme --app com.example.tunes")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let organisation = try arguments.value(of: Subject.organisation)
        let app = try arguments.value(of: Subject.app)
        let experiments = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            var experiments: [Experiment] = []
            var after: ExperimentID?
            repeat {
                let page = try await conversation.ask(
                    ExperimentList(organisation: organisation, app: app, after: after))
                guard page.next.map({ after.map { $0 < page.next ?? $0 } ?? !$0.rawValue.isEmpty }) ?? true else {
                    throw ToolFailure(.failed, "paywall-experiments goes round in its pages")
                }
                experiments += page.experiments
                after = page.next
            } while after != nil
            if experiments.isEmpty { _ = try await conversation.app(app, of: organisation) }
            return experiments
        }
        let text =
            experiments.isEmpty ? "\(app) has no experiments" : experiments.map(\.line).joined(separator: "\n")
        return try Output(text, json: experiments)
    }
}

/// `tollgate experiments show`
struct ExperimentsShow: ToolCommand {
    static let layout = CommandLayout(
        "experiments show", "Shows an experiment with its variants and epochs",
        operands: [NamedExperiment.operand],
        options: [Subject.organisation, Subject.app] + Conversation.options,
        example:
            "tollgate experiments show --organisation acme --app com.example.tunes 0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f"
    )

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try NamedExperiment(arguments)
        let experiment = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await subject.record(in: conversation)
        }
        return try Output(experiment.text, json: experiment)
    }
}
