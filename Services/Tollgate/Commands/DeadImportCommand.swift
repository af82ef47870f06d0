internal import Messages

/// `tollgate dead import`
struct DeadImportCommand: ToolCommand {
    static let origin = Option.text("--origin", "TEXT", "Where they come from; the file's name unless given")

    static let layout = CommandLayout(
        "dead import", "Puts what dead export has written into the dead letters of this installation",
        details: """
            No message is sent: they wait here as they waited there, with their origin noted, until somebody replays or \
            discards them. What is there already is passed over, and what has been forgotten here is left out.
            """,
        operands: [Operand("FILE", "Lines of an export; - for standard input")],
        options: [origin, OperatorOptions.by] + Conversation.options,
        example: "tollgate dead import letters.jsonl --origin production")

    struct Report: Encodable {
        var added = 0
        var known = 0
        /// Left out: forgotten here.
        var forgotten = 0
    }

    /// About how many bytes of letters one request carries.
    private static let portion = 1 << 20

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let path = arguments.operand(0)
        let origin = try arguments.optional(origin) ?? path
        let by = try OperatorOptions.name(from: arguments, in: surroundings)
        let run = MessageID(at: .now)
        let report = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let office = DeadLetterOffice(conversation: conversation)
            let lines = try LineReader(path == "-" ? "/dev/stdin" : path)
            var counts: [ServiceName: Int] = [:]
            var waiting: [Place: (letters: [DeadLetterView], size: Int)] = [:]
            var report = Report()
            func deliver(_ place: Place) async throws {
                guard let letters = waiting.removeValue(forKey: place)?.letters else { return }
                do {
                    let value = try await office.ask(
                        DeadImport(partition: place.partition, run: run, letters: letters, by: by), at: place)
                    report.added += value.added
                    report.known += value.known
                    report.forgotten += value.forgotten ?? 0
                } catch let refusal as Refusal {
                    throw ToolFailure(refusal, from: place)
                }
            }
            var number = 0
            while let line = try lines.next() {
                number += 1
                guard line.contains(where: { $0 != 0x20 && $0 != 0x0D }) else { continue }
                guard var read = try? MessageJSON.decode(DeadLetterLine.self, from: line),
                    ServiceName.all.contains(read.service)
                else {
                    throw ToolFailure(
                        .failed, "line \(number) of \(path) is no dead letter; \(report.added) were added before it",
                        advice: "a line as tollgate dead export writes it; what was added is passed over the next time")
                }
                if counts[read.service] == nil {
                    let all = try DeadSelection.services([read.service])
                    counts[read.service] = try await office.places(of: all).there.count
                }
                read.letter.origin = read.letter.origin.map { "\(origin), before that \($0)" } ?? origin
                let count = counts[read.service] ?? 1
                let place = Place(service: read.service, partition: ((read.letter.bucket % count) + count) % count)
                waiting[place, default: ([], 0)].letters.append(read.letter)
                waiting[place]?.size += line.count
                if waiting[place]?.size ?? 0 >= Self.portion { try await deliver(place) }
            }
            for place in waiting.keys.sorted() { try await deliver(place) }
            return report
        }
        let known = report.known > 0 ? "; \(report.known) were there already" : ""
        let forgotten = report.forgotten > 0 ? "; \(report.forgotten) left out: they have been forgotten here" : ""
        return try Output("\(report.added) dead letters added\(known)\(forgotten)", json: report)
    }
}
