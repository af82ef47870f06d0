internal import Messages

/// `tollgate links unpin`
struct LinksUnpin: ToolCommand {
    static let layout = CommandLayout(
        "links unpin", "Lifts an operator's pin: the transaction stays whose it is until a claim moves it",
        details: """
            It is his then on the grounds of his own claims; the next claim that is as strong may move it, as the app's \
            policy says. Without --yes it only says what would be done.
            """,
        operands: [ChainSubject.operand],
        options: ChainSubject.options + [OperatorOptions.why, OperatorOptions.by, OperatorOptions.yes]
            + Conversation.options,
        example: "tollgate links unpin 2000000900000001 --organisation acme --app com.example.tunes --yes")

    struct Report: Encodable {
        var transaction: OriginalTransactionID
        var user: AppUserID
        var isDone: Bool
        var ruling: LinkRuling?
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try ChainSubject(from: arguments)
        let why = try arguments.optional(OperatorOptions.why)
        let by = try OperatorOptions.name(from: arguments, in: surroundings)
        let isDone = arguments.isSet(OperatorOptions.yes)
        let report = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            guard let link = try await subject.history(conversation).link, link.rank == .pinned else {
                throw ToolFailure(.failed, "no operator has pinned \(subject.original)".onOneLine)
            }
            var report = Report(transaction: subject.original, user: link.user, isDone: isDone)
            guard isDone else { return report }
            report.ruling = try await conversation.command(
                LinkUnpin(
                    organisation: subject.organisation, app: subject.app, originalTransactionID: subject.original,
                    by: by, why: why))
            return report
        }
        let rank = report.ruling?.rank.map { ", on grounds that are \($0.text)" } ?? ""
        let what = "\(report.transaction) stays \(report.user)'s\(rank), and claims may move it again"
        return try Output((isDone ? what : "\(what); nothing was changed, --yes does it").onOneLine, json: report)
    }
}
