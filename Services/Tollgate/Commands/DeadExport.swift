internal import FoundationEssentials
internal import Messages

/// A line of an export: a whole letter, and where it was.
struct DeadLetterLine: Codable, Sendable {
    /// Whose letter it is.
    var service: ServiceName
    /// In which partition it was.
    var partition: Int
    /// With properties and body.
    var letter: DeadLetterView

    var text: String {
        get throws { String(decoding: try MessageJSON.encode(self), as: UTF8.self) + "\n" }
    }
}

/// `tollgate dead export`
struct DeadExport: ToolCommand {
    static let layout = CommandLayout(
        "dead export", "Writes dead letters to standard output, a line of JSON each, whole",
        details: """
            Every property and header with its type, and the body byte for byte (as base64 where it is no text): for \
            another environment, or a bug report. Nothing is changed. There is what users and stores said in them.
            """,
        options: DeadSelection.options + [DeadList.discarded, DeadStraight.straight] + Conversation.options,
        example: "tollgate dead export --reason undecodable > letters.jsonl")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        if arguments.isSet(DeadStraight.straight) {
            return try await DeadStraight.export(arguments, in: surroundings)
        }
        let selection = try DeadSelection(from: arguments, isDiscarded: arguments.isSet(DeadList.discarded))
        try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let office = DeadLetterOffice(conversation: conversation)
            let (places, silent) = try await office.places(of: selection)
            for place in places {
                guard let filter = selection.filter(at: place) else { continue }
                try await office.forEachPage(filter, at: place, isWhole: true) { letters in
                    for letter in letters {
                        let line = DeadLetterLine(service: place.service, partition: place.partition, letter: letter)
                        surroundings.write(try line.text)
                    }
                    return true
                }
            }
            for service in silent { surroundings.tell("\(service) does not answer: its letters are not among these") }
        }
        return Output(jsonText: "")
    }
}

/// `tollgate dead import`
struct DeadImportCommand: ToolCommand {
    static let origin = Option.text("--origin", "TEXT", "Where they come from; the file's name unless given")

    static let layout = CommandLayout(
        "dead import", "Puts what dead export has written into the dead letters of this installation",
        details: """
            No message is sent: they wait here as they waited there, with their origin noted, until somebody replays or \
            discards them. What is there already is passed over.
            """,
        operands: [Operand("FILE", "Lines of an export; - for standard input")],
        options: [origin, DeadOperator.by] + Conversation.options,
        example: "tollgate dead import letters.jsonl --origin production")

    struct Report: Encodable {
        var added = 0
        var known = 0
    }

    /// About how many bytes of letters one request carries.
    private static let portion = 1 << 20

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let path = arguments.operand(0)
        let origin = try arguments.optional(origin) ?? path
        let by = try DeadOperator.name(from: arguments, in: surroundings)
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
        return try Output("\(report.added) dead letters added\(known)", json: report)
    }
}

/// Lines of a file, one at a time: an export may be larger than memory.
private final class LineReader {
    private let file: FileHandleReader
    private var buffer: [UInt8] = []
    private var searched = 0

    init(_ path: String) throws { file = try FileHandleReader(path) }

    /// Nil at the end.
    ///
    /// - Throws: ``ToolFailure`` for a line that is longer than any letter.
    func next() throws -> [UInt8]? {
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer {
                    buffer.removeSubrange(...end)
                    searched = 0
                }
                return Array(buffer[..<end])
            }
            searched = buffer.count
            guard buffer.count < 256 << 20 else { throw ToolFailure(.failed, "a line is longer than 256 MB") }
            guard let more = try file.read() else {
                defer {
                    buffer = []
                    searched = 0
                }
                return buffer.isEmpty ? nil : buffer
            }
            buffer += more
        }
    }
}
