internal import Messages

/// `tollgate links resend`
struct LinksResendCommand: ToolCommand {
    static let partition = Option.number(
        "--partition", "N", "Only those of one partition", in: 0...Bucket.count - 1)
    static let rate = Option.number(
        "--rate", "NUMBER", "Look at so many links a second at most", in: 1...100_000, default: 1000)

    static let layout = CommandLayout(
        "links resend", "Tells users again what they were told of their links and of what they hold",
        details: """
            Under the revisions of then: who knows it already does nothing about it. The service does so itself once a day; \
            this is for after a mishap, such as dead letters of link.changed.v1. All of it is told unless options or \
            TRANSACTION say which; a transaction needs --organisation and --app, or the settings of that name, \
            TOLLGATE_ORGANISATION and TOLLGATE_APP. How far it has come is said on standard \
            error.
            """,
        operands: [Operand("TRANSACTION", "Only this one, by its original transaction id", isRequired: false)],
        options: [
            LinksContestedCommand.organisation, LinksContestedCommand.app, partition, rate, WalkPosition.option,
            OperatorOptions.by,
        ]
            + Conversation.options,
        example: "tollgate links resend --organisation acme")

    struct Report: Encodable {
        var looked = 0
        var sent = 0
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let original = arguments.operand(0).isEmpty ? nil : OriginalTransactionID(rawValue: arguments.operand(0))
        var request = LinksResend(
            partition: 0, organisation: try arguments.optional(LinksContestedCommand.organisation),
            app: try arguments.optional(LinksContestedCommand.app), originalTransactionID: original,
            by: try OperatorOptions.name(from: arguments, in: surroundings), run: MessageID(at: .now))
        if original != nil {
            // Only here may the settings stand in: without a transaction they would silently leave out the rest.
            request.organisation = try arguments.optional(Subject.organisation)
            request.app = try arguments.optional(Subject.app)
            guard request.organisation != nil, request.app != nil else {
                throw arguments.wrong(
                    "TRANSACTION needs --organisation and --app, or TOLLGATE_ORGANISATION and TOLLGATE_APP")
            }
        }
        let (rate, start) = (try arguments.value(of: rate), try arguments.optional(WalkPosition.option))
        request.limit = min(200, rate)
        let only = try arguments.optional(partition)
        let report = try await Conversation.open(arguments, in: surroundings) { [request] conversation, _ in
            let walk = try await PartitionWalk(request, conversation, rate: rate)
            var only = only
            if let original, let organisation = request.organisation {
                only = walk.partitions.partition(of: Key.transaction(organisation, original))
            }
            var report = Report()
            var told = ContinuousClock.now
            try await walk.resumable(in: only, from: start) { page, next in
                report.looked += page.looked
                report.sent += page.sent
                if let next, .now - told > .seconds(1) {
                    told = .now
                    surroundings.tell("\(report.sent) of \(report.looked) links told again; --from \(next)")
                }
                return true
            }
            return report
        }
        let text = "\(report.sent) of \(report.looked) links told again"
        return try Output(text, json: report)
    }
}
