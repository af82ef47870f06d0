internal import Messages

/// `tollgate experiments results`
struct ExperimentsResults: ToolCommand {
    private static let epoch = Option.number("--epoch", "NUMBER", "Only who was assigned in it", in: 1...1_000_000)
    private static let traffic = Option<Trust>(
        "--traffic", "TRUST", "Which installs are judged: attested, or unverified; choose before you look",
        expectation: "attested or unverified", default: Trust.attested.rawValue
    ) { text in [Trust.attested, .unverified].first { $0.rawValue == text } }

    static let layout = CommandLayout(
        "experiments results", "Says what an experiment has shown so far, and whether that can be believed",
        details: """
            May be looked at at any time, as often as one likes: the intervals and the check of the sample ratio keep their \
            error of 5 % and 1 % over all looks together. Of several variants each is compared with the control alone, and \
            they share the 5 %; one that is added later comes with an error of its own. An exposure counts in them once \
            its conversion window is over. Sandbox, forced and test traffic are apart, and so is what is not attested.
            """,
        operands: [NamedExperiment.operand],
        options: [Subject.organisation, Subject.app, epoch, traffic] + Conversation.options,
        example: """
            tollgate experiments results --organisation acme --app com.example.tunes \
            0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f
            """)

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try NamedExperiment(arguments)
        let (epoch, trust) = (try arguments.optional(Self.epoch), try arguments.value(of: traffic))
        let results = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let app = try await conversation.app(subject.app, of: subject.organisation)
            let experiment = try await subject.record(in: conversation)
            if let epoch, !experiment.epochs.contains(where: { $0.number == epoch }) {
                throw arguments.wrong("--epoch \(epoch): it has \(experiment.epochs.count) epochs")
            }
            let now = Timestamp.now
            let partitions = try await ServicePartitions(of: ExperimentTallyGet.recipient, conversation)
            var tally = ExperimentTally()
            for partition in 0..<partitions.count {
                tally =
                    tally
                    + (try await partitions.ask(
                        ExperimentTallyGet(
                            partition: partition, organisation: subject.organisation, app: subject.app,
                            experiment: experiment.id, at: now,
                            windowMilliseconds: Int64(clamping: experiment.conversionWindowSeconds) * 1000)))
            }
            return ExperimentJudgement(experiment: experiment, tally: tally, trust: trust, epoch: epoch)
                .results(at: now, isTest: app.isTest)
        }
        return try Output(ExperimentResultsText(results: results).text, json: results)
    }
}
