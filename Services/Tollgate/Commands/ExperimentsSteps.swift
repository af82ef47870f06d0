internal import Messages

/// `tollgate experiments start`
struct ExperimentsStart: ToolCommand {
    static let layout = CommandLayout(
        "experiments start", "Starts a draft: from now on it assigns",
        details: "At most one experiment runs on a paywall. Phones hear of it within 15 minutes, as they fetch.",
        operands: [NamedExperiment.operand],
        options: [Subject.organisation, Subject.app] + PaywallOptions.all + Conversation.options,
        example:
            "tollgate experiments start --organisation acme --app com.example.tunes 0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f"
    )

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try NamedExperiment(arguments)
        let start = ExperimentStart(
            organisation: subject.organisation, app: subject.app, experiment: subject.experiment,
            expectedVersion: try arguments.optional(PaywallOptions.expect), isDryRun: PaywallOptions.isDryRun(arguments)
        )
        let experiment = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.command(start)
        }
        return try experiment.output(isDryRun: start.isDryRun)
    }
}

/// `tollgate experiments stop`
struct ExperimentsStop: ToolCommand {
    static let layout = CommandLayout(
        "experiments stop", "Ends an experiment for good, also one that never ran",
        details: "Everybody is offered the plain paywall again, whatever he was assigned. What is known of it stays.",
        operands: [NamedExperiment.operand],
        options: [Subject.organisation, Subject.app] + PaywallOptions.all + Conversation.options,
        example:
            "tollgate experiments stop --organisation acme --app com.example.tunes 0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f"
    )

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try NamedExperiment(arguments)
        let stop = ExperimentStop(
            organisation: subject.organisation, app: subject.app, experiment: subject.experiment,
            expectedVersion: try arguments.optional(PaywallOptions.expect), isDryRun: PaywallOptions.isDryRun(arguments)
        )
        let experiment = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.command(stop)
        }
        return try Output(experiment.text.marked(as: stop.isDryRun), json: experiment)
    }
}

/// `tollgate experiments change`
struct ExperimentsChange: ToolCommand {
    static let layout = CommandLayout(
        "experiments change", "Changes an experiment: what is not said stays as it is",
        details: """
            Of one that runs, another coverage or other arms begin a new epoch: installs are assigned by the new rule from \
            now on, and nobody who is assigned moves. --arm names all arms; those left out keep who is assigned to them. \
            What a variant offers is fixed then, and so are the control and the window. Without --expect two operators \
            may overwrite each other.
            """,
        operands: [NamedExperiment.operand],
        options: [Subject.organisation, Subject.app] + ExperimentOptions.all + PaywallOptions.all
            + Conversation.options,
        example: "tollgate experiments change --organisation acme --app com.example.tunes --coverage 100 --expect 2 "
            + "0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try NamedExperiment(arguments)
        guard ExperimentOptions.all.contains(where: { arguments.isSet($0) }) else {
            throw arguments.wrong("what is to be changed?")
        }
        let arms = try arguments.all(ExperimentOptions.arms)
        let variants = try arguments.all(ExperimentOptions.skus)
        let change = ExperimentChange(
            organisation: subject.organisation, app: subject.app, experiment: subject.experiment,
            name: try arguments.optional(ExperimentOptions.name),
            coverage: try arguments.optional(ExperimentOptions.coverage), arms: arms.isEmpty ? nil : arms,
            variants: variants.isEmpty ? nil : variants,
            conversionWindowSeconds: try ExperimentOptions.windowSeconds(arguments),
            expectedVersion: try arguments.optional(PaywallOptions.expect), isDryRun: PaywallOptions.isDryRun(arguments)
        )
        let experiment = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.command(change)
        }
        return try experiment.output(isDryRun: change.isDryRun)
    }
}
