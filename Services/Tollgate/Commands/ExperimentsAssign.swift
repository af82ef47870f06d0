internal import Crypto
internal import Messages

/// `tollgate experiments assign`
struct ExperimentsAssign: ToolCommand {
    static let epoch = Option.number(
        "--epoch", "N", "By the rule of this epoch; the newest unless given", in: 1...Int.max)

    static let layout = CommandLayout(
        "experiments assign", "Computes to which variant an install is assigned, and says what is kept of it",
        details: """
            Reckoned here from the experiment's record, as anybody can: the README of paywall-experiments shows how, with \
            sha256sum. An install keeps what it was assigned first, so what is kept may come from an earlier epoch; then it \
            is what the rule of that epoch gives. Exit status 1 if even that differs.
            """,
        operands: [NamedExperiment.operand, Operand("INSTALL", "The install, as its SDK names it")],
        options: [Subject.organisation, Subject.app, epoch] + Conversation.options,
        example: "tollgate experiments assign --organisation acme --app com.example.tunes "
            + "0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f 6F9619FF-8B86-D011-B42D-00CF4FC964FF")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try NamedExperiment(arguments)
        let install = InstallID(rawValue: arguments.operand(1))
        guard install.isAcceptable else { throw arguments.wrong("INSTALL: expected 1 to 256 bytes") }
        let number = try arguments.optional(epoch)
        let (experiment, kept) = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let experiment = try await subject.record(in: conversation)
            let kept = try await conversation.ask(
                AssignmentList(
                    organisation: subject.organisation, app: subject.app, install: install,
                    experiment: subject.experiment))
            return (experiment, kept)
        }
        let report = AssignmentReport(install, in: experiment, epoch: number, kept: kept)
        return try Output(report.text, json: report, status: report.isReproduced ? .success : .failed)
    }
}

/// What the rule gives, beside what is kept.
struct AssignmentReport: Encodable, Sendable {
    /// One that is kept.
    struct Kept: Encodable, Sendable {
        let assignment: Assignment
        /// What the rule of its epoch gives; absent: nothing.
        let computed: VariantKey?

        var isReproduced: Bool { computed == assignment.variant }
    }

    let install: InstallID
    let experiment: ExperimentID
    /// By whose rule; absent: it has not run, or has no such epoch.
    let epoch: Int?
    /// What is hashed.
    let coverageText: String
    let variantText: String?
    /// Absent: it takes no part.
    let variant: VariantKey?
    let kept: [Kept]

    init(_ install: InstallID, in experiment: Experiment, epoch number: Int?, kept: [Assignment]) {
        let draw = Draw(install, in: experiment.id)
        func variant(_ number: Int) -> VariantKey? {
            experiment.epochs.first { $0.number == number }.flatMap { epoch in
                draw.variant(by: epoch, sha256: { Digest.sha256($0) })
            }
        }
        let epoch = number.map { number in experiment.epochs.first { $0.number == number } } ?? experiment.epochs.last
        self.install = install
        self.experiment = experiment.id
        self.epoch = epoch?.number
        coverageText = draw.coverageText
        variantText = epoch.map { draw.variantText(epoch: $0.number) }
        self.variant = epoch.flatMap { variant($0.number) }
        self.kept = kept.map { Kept(assignment: $0, computed: variant($0.epoch)) }
    }

    /// Whether all that is kept follows from the rules.
    var isReproduced: Bool { kept.allSatisfy(\.isReproduced) }

    var text: String {
        var lines: [String] = []
        if let epoch, let variantText {
            lines.append("by the rule of epoch \(epoch): \(variant?.rawValue ?? "takes no part")")
            lines.append("  coverage: sha256 of \(coverageText)")
            lines.append("  variant:  sha256 of \(variantText)")
        } else {
            lines.append("there is no such epoch: nothing to compute")
        }
        if kept.isEmpty { lines.append("kept: nothing, the install has not fetched it or takes no part") }
        for kept in kept {
            let one = kept.assignment
            let head = "kept: \(one.variant) in \(one.environment), since \(one.assignedAt.rfc3339), \(one.trust)"
            let tail =
                !kept.isReproduced
                ? "; the rule of epoch \(one.epoch) gives \(kept.computed?.rawValue ?? "nothing")"
                : one.epoch == epoch
                    ? "; as computed" : "; as the rule of epoch \(one.epoch) gives it, and it stays so"
            lines.append(head + tail)
        }
        return lines.map(\.onOneLine).joined(separator: "\n")
    }
}
