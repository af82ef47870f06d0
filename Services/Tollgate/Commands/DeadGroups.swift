internal import Messages

/// `tollgate dead groups`
struct DeadGroups: ToolCommand {
    static let layout = CommandLayout(
        "dead groups", "Counts dead letters by what would mend them: reason, step, kind and version of the service",
        details: "What most look at first. Each group names its newest letter, for dead show.",
        options: DeadSelection.options + [DeadList.discarded] + Conversation.options, example: "tollgate dead groups")

    struct Report: Encodable {
        struct Entry: Encodable {
            var service: ServiceName
            var group: DeadGroupsGet.Group
            /// `receipt-validator.0/17`
            var example: String
        }
        var groups: [Entry] = []
        /// In groups too small to be named.
        var others = 0
        var dead = 0
        var discarded = 0
        var silent: [ServiceName] = []
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let selection = try DeadSelection(from: arguments, isDiscarded: arguments.isSet(DeadList.discarded))
        let report = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await Self.report(selection, DeadLetterOffice(conversation: conversation))
        }
        return try Output(text(report), json: report)
    }

    private static func report(_ selection: DeadSelection, _ office: DeadLetterOffice) async throws -> Report {
        let (places, silent) = try await office.places(of: selection)
        var report = Report(silent: silent)
        var groups: [[String]: Report.Entry] = [:]
        for place in places {
            guard let filter = selection.filter(at: place) else { continue }
            let answer = try await office.ask(DeadGroupsGet(partition: place.partition, filter: filter), at: place)
            report.others += answer.others
            report.dead += answer.dead
            report.discarded += answer.discarded
            for group in answer.groups {
                let name = [place.service.rawValue, group.reason, group.step, group.kind, group.version]
                let entry = Report.Entry(service: place.service, group: group, example: "\(place)/\(group.example)")
                groups[name] = groups[name].map { Self.merged($0, entry) } ?? entry
            }
        }
        report.groups = groups.sorted {
            ($1.value.group.count, $0.key.joined()) < ($0.value.group.count, $1.key.joined())
        }
        .map(\.value)
        return report
    }

    /// The newer example stands for both.
    private static func merged(_ one: Report.Entry, _ other: Report.Entry) -> Report.Entry {
        var merged = one.group.lastSeen >= other.group.lastSeen ? one : other
        merged.group.count = one.group.count + other.group.count
        merged.group.firstSeen = min(one.group.firstSeen, other.group.firstSeen)
        return merged
    }

    private static func text(_ report: Report) -> String {
        let now = Timestamp.now
        let rows = report.groups.map { entry in
            let group = entry.group
            return [
                String(group.count), entry.service.rawValue, DeadLetterText.kind(group.kind).onOneLine,
                "\(group.reason) at \(group.step)".onOneLine, group.version.onOneLine,
                DeadLetterText.age(of: group.firstSeen, at: now), DeadLetterText.age(of: group.lastSeen, at: now),
                entry.example,
            ]
        }
        var lines: [String] = []
        if rows.isEmpty {
            lines.append("no dead letters")
        } else {
            let titles = ["count", "service", "kind", "why", "version", "first", "last", "example"]
            let table = DeadTable.lines(titles, rows, rightAligned: [0])
            lines.append(table[0])
            for (line, entry) in zip(table.dropFirst(), report.groups) {
                lines.append(line)
                lines.append("       \(DeadLetterText.cut(entry.group.exampleText, to: 160))")
            }
        }
        if report.others > 0 { lines.append("\(report.others) more in groups too small to be named") }
        if report.discarded > 0 { lines.append("\(report.discarded) in the archive") }
        return (lines + report.silent.map { "\($0) does not answer" }).joined(separator: "\n")
    }
}
