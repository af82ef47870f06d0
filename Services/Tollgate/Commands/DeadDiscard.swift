internal import Messages

/// `tollgate dead discard`
struct DeadDiscard: ToolCommand {
    static let why = Option.text("--why", "TEXT", "Why, for the archive and the audit trail", isRequired: true)

    static let layout = CommandLayout(
        "dead discard", "Moves dead letters into the archive: they are not to be applied",
        details: """
            Without --yes it only says which. Nothing is deleted: dead list --discarded shows the archive, dead restore \
            takes letters back from it, and reconcile counts them. What they say of a user goes by dead forget alone.
            """,
        operands: DeadPreview.operands, options: [why] + DeadPreview.options + Conversation.options,
        example: "tollgate dead discard --kind deposit.v1 --reason kind_unknown --why 'a test of ours'")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        try await DeadArchiving.run(
            arguments, in: surroundings, isRestoring: false, why: try arguments.value(of: why))
    }
}

/// `tollgate dead restore`
struct DeadRestore: ToolCommand {
    static let why = Option.text("--why", "TEXT", "Why, for the audit trail", default: "not said")

    static let layout = CommandLayout(
        "dead restore", "Takes letters back from the archive: they wait for an operator again",
        details: "Without --yes it only says which.", operands: DeadPreview.operands,
        options: [why] + DeadPreview.options + Conversation.options,
        example: "tollgate dead restore --kind deposit.v1 --since 1h --yes")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        try await DeadArchiving.run(arguments, in: surroundings, isRestoring: true, why: try arguments.value(of: why))
    }
}

/// Into the archive and back.
private enum DeadArchiving {
    /// How many letters one request moves: it has to be answered in time.
    private static let portion = 5000

    static func run(_ arguments: Arguments, in surroundings: Surroundings, isRestoring: Bool, why: String)
        async throws -> Output
    {
        try OperatorOptions.checkKept(why, in: arguments)
        let by = try OperatorOptions.name(from: arguments, in: surroundings)
        return try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let office = DeadLetterOffice(conversation: conversation)
            let preview = try await DeadPreview.make(
                arguments, in: surroundings, office: office, of: isRestoring ? .archive : .waiting)
            guard arguments.isSet(DeadPreview.yes) else {
                return try Output(
                    preview.forecast.text(isRestoring ? "restore" : "discard"), json: preview.forecast)
            }
            guard preview.forecast.selected > 0 else {
                return try Output(preview.forecast.none, json: DeadReplayReport(run: preview.run, outcomes: []))
            }
            for place in preview.counts.keys.sorted() {
                let request = DeadArchive(
                    partition: place.partition, run: preview.run, isRestoring: isRestoring, count: portion, by: by,
                    why: why)
                do {
                    while try await office.ask(request, at: place).moved > 0 {}
                } catch let refusal as Refusal {
                    throw ToolFailure(refusal, from: place)
                } catch let failure as ToolFailure {
                    let command = isRestoring ? "restore" : "discard --why \(why.shellQuoted)"
                    throw ToolFailure(
                        failure.status, failure.description,
                        advice: "go on with: tollgate dead \(command) --preview \(preview.run) --yes")
                }
            }
            let report = try await preview.report(office)
            let isDone = report.remaining == 0
            return try Output(report.text, json: report, status: isDone ? .success : .failed)
        }
    }
}
