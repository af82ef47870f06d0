internal import Messages
internal import Messaging

/// `tollgate dead forget`
struct DeadForgetCommand: ToolCommand {
    static let why = Option.text(
        "--why", "TEXT", "Why, for the archive and the audit trail: both keep it, so it names no user", isRequired: true
    )

    static let layout = CommandLayout(
        "dead forget", "Forgets for good what dead letters say, of those that wait and of those in the archive",
        details: """
            For a user who is erased. Without --yes it only says which. Body, original, headers, key and error text go; each \
            letter stays in the archive as one that was there, with id, kind, reason, step and times, and reconcile counts \
            it. Nothing brings it back: neither restore, replay, edit nor an import. What is being replayed is left until \
            that has ended. Exports, backups and the broker's queues keep what they have.
            """,
        operands: DeadPreview.operands, options: [why] + DeadPreview.options + Conversation.options,
        example: "tollgate dead forget --text '\"user_1\"' --why 'request of 30 November'")

    /// How many letters one request forgets at most: it has to be answered in time.
    private static let portion = 2000

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let why = try arguments.value(of: why)
        try OperatorOptions.checkKept(why, in: arguments)
        let by = try OperatorOptions.name(from: arguments, in: surroundings)
        return try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let office = DeadLetterOffice(conversation: conversation)
            var preview = try await DeadPreview.make(arguments, in: surroundings, office: office, of: .both)
            guard arguments.isSet(DeadPreview.yes) else {
                try await preview.showExamples(office)
                return try Output(preview.forecast.text("forget for good"), json: preview.forecast)
            }
            guard preview.forecast.selected > 0 else {
                return try Output(preview.forecast.none, json: DeadReplayReport(run: preview.run, outcomes: []))
            }
            let again = "tollgate dead forget --why \(why.shellQuoted) --preview \(preview.run) --yes"
            var remarks: [String] = []
            for place in preview.counts.keys.sorted() {
                let request = DeadForget(
                    partition: place.partition, run: preview.run, count: portion, by: by, why: why)
                do {
                    var value = try await office.ask(request, at: place)
                    var left = Int.max
                    // A portion may forget none: all of it may be gone.
                    while value.remaining > 0, value.remaining < left {
                        left = value.remaining
                        value = try await office.ask(request, at: place)
                    }
                    if value.remaining > 0 {
                        let end = value.heldBy.map { "end that with: tollgate dead replay --preview \($0) --yes" }
                        remarks.append(
                            "\(value.remaining) at \(place) are being replayed; \(end ?? "once that has ended"), and go on with: \(again)"
                        )
                    }
                    if value.isInLog == true {
                        remarks.append(
                            "somebody reads the store of \(place): its write-ahead log may still have them. Once more: \(again)"
                        )
                    }
                } catch let refusal as Refusal {
                    throw ToolFailure(refusal, from: place)
                } catch let failure as ToolFailure {
                    throw ToolFailure(failure.status, failure.description, advice: "go on with: \(again)")
                }
            }
            let report = try await preview.report(office)
            if report.count(.gone) > 0 {
                remarks.append(
                    "what was replayed meanwhile and fails again is a dead letter anew, to be forgotten then")
            }
            remarks += preview.forecast.silent.map { "\($0) does not answer: its letters are not among these" }
            let isAsked = preview.forecast.silent.isEmpty
            return try Output(
                ([report.text] + remarks).joined(separator: "\n"), json: report,
                status: report.remaining > 0 ? .failed : isAsked ? .success : .unavailable)
        }
    }
}
