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
        let left = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            var left = 0
            var forgotten = 0
            let office = DeadLetterOffice(conversation: conversation)
            let (places, silent) = try await office.places(of: selection)
            for place in places {
                guard let filter = selection.filter(at: place) else { continue }
                try await office.forEachPage(filter, at: place, isWhole: true) { letters in
                    for letter in letters {
                        if letter.forgotten != nil {
                            forgotten += 1
                            continue
                        }
                        guard letter.body != nil else {
                            left += 1
                            surroundings.tell(
                                "\(place)/\(letter.number) is left out: \(letter.size) bytes are too many")
                            continue
                        }
                        let line = DeadLetterLine(service: place.service, partition: place.partition, letter: letter)
                        try surroundings.write(line.text)
                    }
                    return true
                }
            }
            if forgotten > 0 {
                surroundings.tell("\(forgotten) left out: forgotten, nothing is kept of what they said")
            }
            for service in silent { surroundings.tell("\(service) does not answer: its letters are not among these") }
            return left
        }
        return Output(jsonText: "", status: left == 0 ? .success : .failed)
    }
}
