internal import Messages

/// `tollgate devices list`
struct DevicesList: ToolCommand {
    static let limit = Option<Int>(
        "--limit", "NUMBER", "How many at most", expectation: "a number from 1 to 100000", default: "100"
    ) { Int($0).flatMap { (1...100_000).contains($0) ? $0 : nil } }
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

/// `tollgate devices show`
struct DevicesShow: ToolCommand {
    static let layout = CommandLayout(
        "devices show", "Says all that is known of a device",
        details: "Without --organisation and --app all are looked through, which takes its time where there are many.",
        operands: [Operand("KEY_ID", "The device, as devices list names it")],
        options: DevicesFilter.places + Conversation.options,
        example: "tollgate devices show n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let keyID = arguments.operand(0)
        var question = DevicesPage()
        question.organisation = try arguments.optional(DevicesFilter.organisation)
        question.app = try arguments.optional(DevicesFilter.app)
        question.keyID = DeviceKeyID(rawValue: keyID)
        let devices = try await Conversation.open(arguments, in: surroundings) { [question] conversation, _ in
            var found: [DeviceRecord] = []
            try await conversation.devices(question) { page in
                found += page
                return true
            }
            return found
        }
        guard !devices.isEmpty else { throw ToolFailure(.failed, "there is no device \(keyID.onOneLine)") }
        return try Output(devices.map(\.page).joined(separator: "\n\n"), json: devices)
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

    /// All of it, for people.
    var page: String {
        let standing = standing
        let state =
            standing.revokedAt.map { "revoked \($0.rfc3339)\(revokedWhy.map { ": \($0)" } ?? "")" } ?? "active"
        let verdict = receipt.isVerified ? "verified" : "refused at \(receipt.step ?? "some step")"
        let rows: [(String, String?)] = [
            ("key id", standing.keyID.rawValue), ("app", "\(standing.app) of \(standing.organisation)"),
            ("state", state), ("environment", standing.environment.rawValue + (isTest ? ", a test app's" : "")),
            ("attested", "\(attestedAt.rfc3339), first \(firstAttestedAt.rfc3339)"),
            ("asserted", lastAssertedAt?.rfc3339 ?? "never"), ("counter", "\(counter)"),
            ("generation", "\(standing.generation), tokens are good from \(standing.leastGeneration) on"),
            ("receipt", receipt.digest == nil ? "none" : "\(verdict)\(receipt.reason.map { ": \($0)" } ?? "")"),
            ("app's version", bundleVersion), ("distribution", validationCategory.map { "category \($0)" }),
        ]
        return rows.compactMap { name, value in value.map { PageText.row(name, $0.onOneLine, width: 15) } }
            .joined(separator: "\n")
    }
}
