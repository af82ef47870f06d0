internal import Messages
internal import Messaging

/// `tollgate users export`
struct UsersExport: ToolCommand {
    static let file = Option.text(
        "--out", "FILE", "Write it to this file, which is made for you alone; - for standard output")

    static let layout = CommandLayout(
        "users export", "Says everything that is kept about a user, as one JSON document",
        details: """
            What was said of him with when and by which message, what he holds and held, what he was told, the history of \
            every transaction that he ever claimed, the artifacts that came with his claims, what every other service \
            keeps of him, under its name, and how many dead letters name him. Without --out or --json only how much of it \
            there is. If a service does not answer, its part is missing: the document says so, and the exit status.
            """,
        operands: [Operand("USER", "The user as the app names him")],
        options: UserSubject.options + [file] + Conversation.options,
        example: "tollgate users export user_1 --organisation acme --out user_1.json")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let subject = try UserSubject(from: arguments)
        let path = try arguments.optional(file)
        let document = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await UserDocument.collected(about: subject.user, of: subject.organisation(conversation), conversation)
        }
        let text = String(decoding: try MessageJSON.encode(document), as: UTF8.self) + "\n"
        let status: ExitStatus = document.silent.isEmpty ? .success : .unavailable
        let names = document.silent.map(\.rawValue).joined(separator: ", ")
        let remark = document.silent.isEmpty ? nil : "not complete: \(names) does not answer; try again when it runs"
        if let path {
            guard path != "-" else {
                try surroundings.write(text)
                return Output(jsonText: "", status: status, remark: remark)
            }
            try PrivateFile.write(text, to: path)
        }
        let written = path.map { "; written to \($0)" } ?? ""
        return try Output((document.summary + written).onOneLine, json: document, status: status, remark: remark)
    }
}
