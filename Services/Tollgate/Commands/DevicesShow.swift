internal import Messages

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
        guard !devices.isEmpty else {
            throw ToolFailure(
                .failed, "there is no device \(keyID.onOneLine)", advice: "tollgate devices list names them")
        }
        return try Output(devices.map(\.page).joined(separator: "\n\n"), json: devices)
    }
}

extension DeviceRecord {
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
