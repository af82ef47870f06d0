internal import Messages

/// `tollgate devices list`
struct DevicesList: ToolCommand {
    static let limit = Option.number(
        "--limit", "NUMBER", "How many at most", in: 1...100_000, default: 100)
    static let from = Option.text("--from", "KEY", "Go on behind this one, as the list before said")

    static let layout = CommandLayout(
        "devices list", "Says which devices have attested themselves",
        details: "In the order of organisation, app and key id.",
        options: DevicesFilter.all + [limit, from] + Conversation.options,
        example: "tollgate devices list --organisation acme --state revoked --since 24h")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        var question = try DevicesFilter.question(from: arguments, keyID: "")
        question.after = try arguments.optional(from)
        let limit = try arguments.value(of: limit)
        let devices = try await Conversation.open(arguments, in: surroundings) { [question] conversation, _ in
            var found: [DeviceRecord] = []
            try await conversation.devices(question) { page in
                found += page
                return found.count <= limit
            }
            return found
        }
        let shown = Array(devices.prefix(limit))
        let text = shown.isEmpty ? "there are none" : shown.map(\.line).joined(separator: "\n")
        let rest = shown.last.map { "there are more; --from \($0.standing.key) goes on" }
        return try Output(text, json: shown, remark: devices.count > limit ? rest : nil)
    }
}

extension DeviceRecord {
    /// A line for people.
    var line: String {
        let standing = standing
        let facts = [
            standing.environment.rawValue, isTest ? "a test app's" : nil, "attested \(attestedAt.rfc3339)",
            lastAssertedAt.map { "asserted \($0.rfc3339)" },
            standing.generation > 1 ? "for the \(standing.generation). time" : nil,
            receipt.isVerified ? nil : "with a bad receipt",
            standing.revokedAt.map { "revoked \($0.rfc3339)" }, revokedWhy,
        ]
        return
            "\(standing.keyID) \(standing.organisation)/\(standing.app): \(facts.compactMap { $0 }.joined(separator: ", "))"
            .onOneLine
    }
}
