internal import FoundationEssentials
internal import Glibc
internal import Messages

/// `tollgate dead edit`
struct DeadEditCommand: ToolCommand {
    static let body = Option.text("--body", "FILE", "The new body, instead of an editor")
    static let stay = Flag("--no-replay", "Only keep the new body")

    static let layout = CommandLayout(
        "dead edit", "Changes the body of a dead letter, and replays it",
        details: """
            Opens the body in $VISUAL or $EDITOR. The service that takes the kind checks what comes back; the original \
            stays beside it. A body that is not changed is not replayed; one that is not taken stays in the editor's file, \
            which --body takes.
            """,
        operands: [Operand("ID", "A message's id, or SERVICE.PARTITION/NUMBER as list shows it")],
        options: [
            body, stay, DeadReplayCommand.force, DeadReplayCommand.asNew, DeadPreview.mostReplays,
            DeadReplayCommand.settle, OperatorOptions.by,
        ] + Conversation.options, example: "tollgate dead edit receipt-validator.0/17")

    struct Report: Encodable {
        var service: ServiceName
        var partition: Int
        var number: Int
        var isChanged: Bool
        var replay: DeadReplayReport?
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let selection = try DeadSelection.one(arguments.operand(0))
        let by = try OperatorOptions.name(from: arguments, in: surroundings)
        return try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let office = DeadLetterOffice(conversation: conversation)
            let (place, letter) = try await office.letter(selection)
            guard letter.forgotten == nil else {
                throw ToolFailure(.failed, "it is forgotten: nothing is kept of what it said")
            }
            guard letter.discarded == nil else {
                throw ToolFailure(.failed, "it is in the archive", advice: "tollgate dead restore takes it back")
            }
            guard let before = letter.body else {
                throw ToolFailure(.failed, "\(letter.size) bytes are too many to be edited")
            }
            var report = Report(
                service: place.service, partition: place.partition, number: letter.number, isChanged: false)
            let name = "\(place)/\(letter.number)"
            let (after, file) = try Self.edited(before.bytes, arguments, surroundings)
            var isTaken = true
            defer { if let file, isTaken { unlink(file) } }
            guard after != before.bytes else { return try Output("\(name): nothing changed", json: report) }
            isTaken = false
            let edit = DeadEdit(
                partition: place.partition, number: letter.number, run: MessageID(at: .now), before: before,
                body: Octets(after), by: by)
            do {
                _ = try await office.ask(edit, at: place)
            } catch let refusal as Refusal {
                let advice = file.map { "what was written is in \($0): tollgate dead edit \(name) --body \($0)" }
                throw ToolFailure(.failed, "\(place) says no: \(refusal)", advice: advice)
            }
            isTaken = true
            report.isChanged = true
            guard !arguments.isSet(stay) else {
                return try Output("\(name): has a new body; the original is kept", json: report)
            }
            let preview = try await DeadPreview.make(of: place, number: letter.number, by: by, office: office)
            let plan = DeadReplayCourse.Plan(
                ramp: .none, isAsNew: arguments.isSet(DeadReplayCommand.asNew),
                isForced: arguments.isSet(DeadReplayCommand.force),
                mostReplays: try arguments.value(of: DeadPreview.mostReplays), by: by,
                settle: try arguments.value(of: DeadReplayCommand.settle), patience: .seconds(30))
            let replay = try await DeadReplayCourse(
                office: office, preview: preview, plan: plan, tell: surroundings.tell
            ).run()
            report.replay = replay
            return try Output(
                "\(name): has a new body; the original was kept until it left\n\(replay.text)", json: report,
                status: replay.isGood ? .success : .failed)
        }
    }

    /// What the editor or the file makes of it.
    ///
    /// - Returns: also the editor's file; what was written there must not be lost before it is taken.
    private static func edited(_ body: [UInt8], _ arguments: Arguments, _ surroundings: Surroundings) throws -> (
        body: [UInt8], file: String?
    ) {
        if let path = try arguments.optional(Self.body) {
            guard let data = try? Data(contentsOf: URL(filePath: path)) else {
                throw ToolFailure(.failed, "cannot read \(path)", advice: "--body names a file")
            }
            return (Array(data), nil)
        }
        let environment = surroundings.environment
        let editor = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }.first { !$0.isEmpty } ?? "vi"
        // Where POSIX says that temporary files are (XBD § 8.3 and § 10.1).
        var template = Array("\(environment["TMPDIR"] ?? "/tmp")/tollgate-letter-XXXXXX.json".utf8CString)
        // Made with mode 0600: there may be a user's data in it.
        let file = mkstemps(&template, 5)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard file >= 0 else { throw ToolFailure(.failed, "cannot write \(path): \(String(cString: strerror(errno)))") }
        close(file)
        var isWritten = false
        defer { if !isWritten { unlink(path) } }
        try Data(body).write(to: URL(filePath: path))
        // Editors are commands with options, as git takes them too.
        guard system("\(editor) \(path.shellQuoted)") == 0 else {
            throw ToolFailure(.failed, "\(editor) ended with an error: nothing has been changed")
        }
        guard var after = (try? Data(contentsOf: URL(filePath: path))).map({ Array($0) }) else {
            throw ToolFailure(.failed, "\(editor) left no file: nothing has been changed")
        }
        isWritten = true
        // Editors end the last line; what had no line feed at its end keeps none.
        if after.last == 0x0A, body.last != 0x0A { after.removeLast() }
        return (after, path)
    }
}
