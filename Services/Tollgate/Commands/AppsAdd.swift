internal import Crypto
internal import FoundationEssentials
internal import Messages

/// `tollgate apps add`
struct AppsAdd: ToolCommand {
    static let testRoot = Option<String>.text(
        "--test-root", "FILE",
        "A certificate, PEM or DER, that signs this app's test evidence: it is a test app for ever", isRepeatable: true)

    static let layout = CommandLayout(
        "apps add", "Connects an app, or changes its settings: what is not said stays as it is",
        details: NotificationAddress.details,
        options: [Subject.organisation, Subject.app, testRoot] + AppSettingOptions.all
            + [NotificationAddress.rotate, NotificationAddress.overlap, OperatorOptions.by] + Conversation.options,
        example: "tollgate apps add --organisation acme --app com.example.tunes --test-root root.pem")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let roots = try arguments.all(testRoot).flatMap { path throws in try InputFile(path).certificates() }
        let address = NotificationAddress()
        var put = try AppSettingOptions.put(arguments)
        put.testRoots = roots.isEmpty ? nil : roots.map { Base64.standard.encode($0.der) }
        put.notificationTokenDigest = address.digest
        put.oldNotificationTokenSeconds = try NotificationAddress.overlapSeconds(arguments)
        let record: AppRecord
        do {
            record = try await Conversation.open(arguments, in: surroundings) { [put] conversation, _ in
                try await conversation.command(put)
            }
        } catch let failure as ToolFailure where failure.status == .unavailable {
            throw address.told(failure)
        }
        return try Output("\(record.text)\n\(address.text(record))", json: Added(record: record, address: address))
    }

    /// The record, and beside its members the path for Apple, if it is a new one.
    private struct Added: Encodable {
        enum CodingKeys: CodingKey { case notificationPath }

        let record: AppRecord
        let address: NotificationAddress

        func encode(to encoder: any Encoder) throws {
            try record.encode(to: encoder)
            guard address.isGood(for: record) else { return }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(address.path, forKey: .notificationPath)
        }
    }
}

extension AppRecord {
    /// A line for people.
    var text: String {
        let links = "links \(linkMovePolicy)\(unverifiedLinksGrant ? ", unverified ones grant" : "")"
        let facts = [
            isTest ? "a test app" : nil, links,
            purchaseKeys.map { "\($0.count) purchase key\($0.count == 1 ? "" : "s")" },
            teamID.map { "team \($0)" }, appleID.map { "Apple's number \($0)" },
            attestEnvironments.map { "attested in \($0.map(\.rawValue).joined(separator: " and "))" },
            limits.map { _ in "limits of its own" }, "changed \(changedAt.rfc3339)",
        ]
        return "\(app) of \(organisation): \(facts.compactMap { $0 }.joined(separator: ", "))"
    }
}
