internal import Messages

/// `tollgate links contested`
struct LinksContestedCommand: ToolCommand {
    static let organisation = Option<OrganisationID>(
        "--organisation", "ORG", "Only transactions of one organisation", expectation: OrganisationID.expectation,
        parse: Subject.name)
    static let app = Option<AppID>(
        "--app", "BUNDLE_ID", "Only claims made through one app", expectation: AppID.expectation, parse: Subject.name)
    static let since = Option<Timestamp>(
        "--since", "TIME", "Only claims made then or later: a time, or how long ago",
        expectation: PointInTime.expectation, default: "168h", parse: PointInTime.parse)
    static let all = Flag("--all", "Also those that were only claimed on weaker grounds than their holder's")
    static let limit = Option.number(
        "--limit", "N", "How many transactions", in: 1...100_000, default: 100)

    static let layout = CommandLayout(
        "links contested", "Says which transactions more than one user has claimed lately, and who has them",
        details: """
            Told are those that a claim has taken from somebody, and those that another than their holder has claimed on \
            grounds that are as strong as the holder's, and did not get. The one that was claimed last is first. \
            links history says all of one, links undo gives it to another.
            """,
        options: [organisation, app, since, all, limit] + Conversation.options,
        example: "tollgate links contested --organisation acme --since 24h")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        var question = LinksContested(partition: 0, since: try arguments.value(of: since))
        question.organisation = try arguments.optional(organisation)
        question.app = try arguments.optional(app)
        let limit = try arguments.value(of: limit)
        let isAll = arguments.isSet(all)
        let (contests, total) = try await Conversation.open(arguments, in: surroundings) {
            [question] conversation, _ in
            var ledger = ContestLedger(isAll: isAll)
            try await PartitionWalk(question, conversation).run { page, _ in
                for contest in page.contests { ledger.add(contest) }
                return true
            }
            return (ledger.newest(limit), ledger.count)
        }
        var lines = contests.map(\.text)
        lines.append(total == 0 ? "nothing is contested" : total == 1 ? "1 transaction" : "\(total) transactions")
        if contests.count < total {
            lines.append("the \(contests.count) that were claimed last are told; --limit tells more")
        }
        return try Output(lines.joined(separator: "\n"), json: contests)
    }
}
