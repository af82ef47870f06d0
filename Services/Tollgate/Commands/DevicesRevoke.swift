internal import Messages

/// `tollgate devices revoke`
struct DevicesRevoke: ToolCommand {
    static let why = Option.text(
        "--why", "TEXT", "Why; it is kept with the device, and devices show says it", isRequired: true)
    static let yes = Flag("--yes", "Revoke all that the filters find; without, it is only said which")

    static let layout = CommandLayout(
        "devices revoke", "Ends devices for good: their tokens are refused by every edge within a second",
        details: """
            One device is named by its key id. Several are found by filters, and then it is only said which, unless --yes \
            is there. A revoked device gets no more tokens, and there is no way back: the app has to make another key, \
            which it does when it is installed anew.
            """,
        operands: [DevicesFilter.operand],
        options: DevicesFilter.all + [why, yes, OperatorOptions.by] + Conversation.options,
        example: "tollgate devices revoke n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg= --why 'a farm of phones'")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let keyID = arguments.operand(0)
        guard !keyID.isEmpty || DevicesFilter.all.contains(where: { arguments.isSet($0) }) else {
            throw arguments.wrong("which devices? Give a key id, or a filter such as \(DevicesFilter.app.name)")
        }
        let (question, why) = (
            try DevicesFilter.question(from: arguments, keyID: keyID), try arguments.value(of: why)
        )
        let isDone = !keyID.isEmpty || arguments.isSet(yes)
        let report = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            var report = Revocations(isDone: isDone)
            try await conversation.devices(question) { page in
                for device in page {
                    guard device.standing.revokedAt == nil else {
                        report.before += 1
                        continue
                    }
                    guard isDone else {
                        report.add(device)
                        continue
                    }
                    do {
                        report.add(try await conversation.command(DeviceRevoke(device.standing, why: why)))
                    } catch let error as ToolFailure {
                        throw ToolFailure(
                            error.status, error.description, advice: "\(report.count) are revoked; repeating it goes on"
                        )
                    }
                }
                return true
            }
            return report
        }
        guard keyID.isEmpty || report.count + report.before > 0 else {
            throw ToolFailure(
                .failed, "there is no device \(keyID.onOneLine)", advice: "tollgate devices list names them")
        }
        return try Output(report.text, json: report)
    }
}

extension DeviceRevoke {
    fileprivate init(_ standing: DeviceStanding, why: String) {
        self.init(organisation: standing.organisation, app: standing.app, keyID: standing.keyID, why: why)
    }
}

/// Which devices were revoked, or would be.
struct Revocations: Encodable, Sendable {
    /// Whether they were.
    let isDone: Bool
    /// How many.
    private(set) var count = 0
    /// How many had been before.
    var before = 0
    /// The first few.
    private(set) var examples: [DeviceRecord] = []

    init(isDone: Bool) { self.isDone = isDone }

    mutating func add(_ device: DeviceRecord) {
        count += 1
        if examples.count < 5 { examples.append(device) }
    }

    /// For people.
    var text: String {
        let devices = count == 1 ? "1 device" : "\(count) devices"
        let told = before == 0 ? "" : "; \(before) had been revoked before"
        let verb = isDone ? (count == 1 ? "is revoked" : "are revoked") : "would be revoked"
        let advice = isDone || count == 0 ? "" : "; nothing was changed, --yes does it"
        let rest = count > examples.count ? ["and \(count - examples.count) more"] : []
        return (examples.map(\.line) + rest + ["\(devices) \(verb)\(told)\(advice)"]).joined(separator: "\n")
    }
}
