internal import Messages

/// `tollgate links undo`
struct LinksUndo: ToolCommand {
    static let user = Option<AppUserID>(
        "--to", "USER", "Who gets it; who had it before unless given", expectation: "a user who has claimed it"
    ) { AppUserID(rawValue: $0).isAcceptable ? AppUserID(rawValue: $0) : nil }

    static let layout = CommandLayout(
        "links undo", "Gives a transaction back to who had it, and pins it there: no claim moves it any more",
        details: """
            Without --yes it only says what would be done. Both users are told, and what it unlocks goes with it. \
            links unpin lets claims move it again; another undo with --to gives it to somebody else.
            """,
        operands: [ChainSubject.operand],
        options: ChainSubject.options + [user, OperatorOptions.why, OperatorOptions.by, OperatorOptions.yes]
            + Conversation.options,
        example: "tollgate links undo 2000000900000001 --organisation acme --app com.example.tunes --why 'ticket 4711'")

    struct Report: Encodable {
        var transaction: OriginalTransactionID
        var from: AppUserID?
        var to: AppUserID
        var isDone: Bool
        var ruling: LinkRuling?
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try ChainSubject(from: arguments)
        let (named, why) = (try arguments.optional(user), try arguments.optional(OperatorOptions.why))
        let by = try OperatorOptions.name(from: arguments, in: surroundings)
        let isDone = arguments.isSet(OperatorOptions.yes)
        let report = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let history = try await subject.history(conversation)
            let holder = history.link?.user
            // The same command again, after an answer that was lost say, must not take it back.
            if named == nil, let holder, history.link?.rank == .pinned {
                throw ToolFailure(
                    .failed, "an operator has given \(subject.original) to \(holder), and pinned it".onOneLine,
                    advice: "--to names who gets it instead; links history shows who has claimed it")
            }
            guard let user = named ?? history.holderBefore else {
                throw ToolFailure(
                    .failed, "nobody else has had \(subject.original)".onOneLine,
                    advice: "--to names somebody who has claimed it; links history shows who has")
            }
            guard user != holder || history.link?.rank != .pinned else {
                throw ToolFailure(.failed, "it is \(user)'s already, and pinned".onOneLine)
            }
            guard history.claims.contains(where: { $0.user == user }) || history.isTruncated else {
                throw ToolFailure(
                    .failed, "\(user) has never claimed \(subject.original)".onOneLine,
                    advice: "links history shows who has")
            }
            var report = Report(transaction: subject.original, from: holder, to: user, isDone: isDone)
            guard isDone else { return report }
            report.ruling = try await conversation.command(
                LinkUndo(
                    organisation: subject.organisation, app: subject.app, originalTransactionID: subject.original,
                    user: user, holder: holder, by: by, why: why))
            return report
        }
        return try Output(report.text, json: report)
    }
}

extension ChainHistoryView {
    /// Who had the chain before the one who has it, as far as he has not been erased.
    fileprivate var holderBefore: AppUserID? {
        entries.last { $0.what == .linkWon && $0.user != link?.user && $0.user?.rawValue.isEmpty == false }?.user
    }
}

extension LinksUndo.Report {
    /// For people.
    fileprivate var text: String {
        let holder = from.map { $0 == to ? "stays \(to)'s" : "goes from \($0) to \(to)" } ?? "goes to \(to)"
        let what = "\(transaction) \(holder), and is pinned there"
        guard isDone else { return "\(what); nothing was changed, --yes does it".onOneLine }
        return "\(what), revision \(ruling?.revision ?? 0); links unpin lets claims move it again".onOneLine
    }
}
