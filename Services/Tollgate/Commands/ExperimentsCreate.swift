internal import Messages
internal import ServiceKit

/// `tollgate experiments create`
struct ExperimentsCreate: ToolCommand {
    static let layout = CommandLayout(
        "experiments create", "Drafts an experiment on the paywall for an entitlement",
        details: """
            Nobody is assigned before it is started. The first --arm is the control. An arm without --skus offers what the \
            paywall offers now. What a variant offers stays as it is once the experiment has run.
            """,
        operands: [Operand("ENTITLEMENT", "On whose paywall")],
        options: [Subject.organisation, Subject.app] + ExperimentOptions.all
            + [PaywallOptions.dryRun, OperatorOptions.by]
            + Conversation.options,
        example: "tollgate experiments create --organisation acme --app com.example.tunes pro --name 'Annual first' "
            + "--coverage 50 --arm control=1 --arm b=1 --skus b=com.example.tunes.annual,com.example.tunes.monthly")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let entitlement = try PaywallOptions.entitlement(arguments.operand(0), arguments)
        let arms = try arguments.all(ExperimentOptions.arms)
        guard arms.count > 1 else { throw arguments.wrong("at least two --arm, the control first") }
        guard let name = try arguments.optional(ExperimentOptions.name) else {
            throw arguments.wrong("--name is missing")
        }
        let said = try arguments.all(ExperimentOptions.skus)
        let list = PaywallList(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app))
        let create = ExperimentCreate(
            organisation: list.organisation, app: list.app,
            experiment: ExperimentID(rawValue: MessageID(at: .now).rawValue), entitlement: entitlement, name: name,
            coverage: try arguments.optional(ExperimentOptions.coverage) ?? 10_000, arms: arms, variants: said,
            conversionWindowSeconds: try ExperimentOptions.windowSeconds(arguments),
            isDryRun: PaywallOptions.isDryRun(arguments))
        let silent = arms.map(\.variant).filter { key in !said.contains { $0.key == key } }
        let experiment = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            var create = create
            if !silent.isEmpty {
                let paywall = try await conversation.ask(list).first { $0.entitlement == entitlement }
                guard let paywall else {
                    throw ToolFailure(
                        .failed, "\(list.app) has no paywall for \(entitlement), and \(silent[0]) has no --skus",
                        advice: "tollgate paywalls set makes one")
                }
                create.variants += silent.map { Experiment.Variant(key: $0, skus: paywall.skus) }
            }
            return try await conversation.command(create)
        }
        return try experiment.output(isDryRun: create.isDryRun)
    }
}
