internal import Messages

/// `tollgate signposts release`
struct SignpostsRelease: ToolCommand {
    static let layout = CommandLayout(
        "signposts release", "Takes names of events back from an app, so that others can be claimed in their place",
        details: """
            Without --yes it only says what would be done. Events that were accepted until then under the names are \
            dropped, in every partition, also those that come late; what is accepted later may claim a name again, first \
            come, first served. Where strangers have claimed names, let only attested callers claim any first: signposts \
            claims attested.
            """,
        operands: [Operand("NAME", "As signposts names lists it", isRepeatable: true)],
        options: [Subject.organisation, Subject.app, OperatorOptions.yes, OperatorOptions.by] + Conversation.options,
        example: "tollgate signposts release --organisation acme --app com.example.tunes junk_1 junk_2 --yes")

    struct Report: Encodable {
        struct Name: Encodable {
            var name: EventName
            /// Events that attested callers sent.
            var attested: Int
            /// Events that others sent.
            var unverified: Int
        }

        var app: AppID
        var isDone: Bool
        /// What they had when it was asked.
        var names: [Name]
        /// What is left.
        var book: EventNameBook
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let organisation = try arguments.value(of: Subject.organisation)
        let app = try arguments.value(of: Subject.app)
        let names = Set(arguments.operands(from: 0)).sorted().map(EventName.init(rawValue:))
        let isDone = arguments.isSet(OperatorOptions.yes)
        let report = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let book = try await conversation.ask(EventNameList(organisation: organisation, app: app))
            if let stranger = names.first(where: { name in !book.names.contains { $0.name == name } }) {
                throw ToolFailure(
                    .failed, "\(stranger) is no name of \(app)".onOneLine, advice: "signposts names lists them")
            }
            let partitions = try await ServicePartitions(of: EventNameUsage.recipient, conversation)
            var counts: [EventName: Report.Name] = [:]
            for name in names { counts[name] = Report.Name(name: name, attested: 0, unverified: 0) }
            for partition in 0..<partitions.count {
                let question = EventNameUsage(partition: partition, organisation: organisation, app: app)
                for count in try await partitions.ask(question).counts {
                    counts[count.name]?.attested += count.attested
                    counts[count.name]?.unverified += count.unverified
                }
            }
            var report = Report(app: app, isDone: isDone, names: names.compactMap { counts[$0] }, book: book)
            guard isDone else { return report }
            report.book = try await conversation.command(
                EventNameRelease(organisation: organisation, app: app, names: names))
            return report
        }
        return try Output(report.text, json: report)
    }
}

extension SignpostsRelease.Report {
    /// For people.
    fileprivate var text: String {
        let lines = names.map { name in
            let sum = name.attested + name.unverified
            return "\(name.name): \(sum == 1 ? "1 event" : "\(sum) events"), \(name.attested) of attested callers"
                .onOneLine
        }
        let end =
            isDone
            ? "taken back; their events are dropped, and \(EventName.budget - book.names.count) names are free"
            : "nothing was changed; --yes takes them back and drops their events"
        return (lines + [end]).joined(separator: "\n")
    }
}
