internal import Crypto
internal import FoundationEssentials
internal import Messages

/// `tollgate apps add`
struct AppsAdd: ToolCommand {
    static let testRoot = Option<String>.text(
        "--test-root", "FILE",
        "A certificate, PEM or DER, that signs this app's test evidence: it is a test app for ever", isRepeatable: true)
    static let linkMovePolicy = Option<LinkMovePolicy>(
        "--link-move-policy", "POLICY",
        "What becomes of a purchase when another user claims it as well: move, keep or move_if_inactive; a new app moves",
        expectation: "move, keep or move_if_inactive"
    ) { name in LinkMovePolicy.all.first { $0.rawValue == name } }
    static let unverifiedLinksGrant = Option<Bool>(
        "--unverified-links-grant", "BOOL", "Whether a purchase unlocks something for a user that nobody has verified",
        expectation: "true or false", parse: { Bool($0) })

    static let team = Option<TeamID>(
        "--team-id", "TEAM", "The developer's team at Apple, for App Attest", expectation: TeamID.expectation
    ) { text in
        let team = TeamID(rawValue: text)
        return team.isGood ? team : nil
    }
    static let appleID = Option<Int64>(
        "--apple-id", "NUMBER", "The number by which Apple knows the app; notifications for another one are refused",
        expectation: "a number above 0"
    ) { text in Int64(text).flatMap { $0 > 0 ? $0 : nil } }

    static let layout = CommandLayout(
        "apps add", "Connects an app, or changes its settings: what is not said stays as it is",
        details: NotificationAddress.details,
        options: [
            Subject.organisation, Subject.app, testRoot, linkMovePolicy, unverifiedLinksGrant, PurchaseKeyFile.option,
            PurchaseKeyFile.none, team, appleID, NotificationAddress.rotate, NotificationAddress.overlap,
        ] + Conversation.options,
        example: "tollgate apps add --organisation acme --app com.example.tunes --test-root root.pem")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let roots = try arguments.all(testRoot).flatMap { path throws in try InputFile(path).certificates() }
        let address = NotificationAddress()
        let put = AppPut(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app),
            testRoots: roots.isEmpty ? nil : roots.map { Base64.standard.encode($0.der) },
            linkMovePolicy: try arguments.optional(linkMovePolicy),
            unverifiedLinksGrant: try arguments.optional(unverifiedLinksGrant),
            purchaseKeys: try purchaseKeys(arguments), teamID: try arguments.optional(team),
            appleID: try arguments.optional(appleID), notificationTokenDigest: address.digest,
            oldNotificationTokenSeconds: try NotificationAddress.overlapSeconds(arguments))
        let record: AppRecord
        do {
            record = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
                try await conversation.command(put)
            }
        } catch let failure as ToolFailure where failure.status == .unavailable {
            throw address.told(failure)
        }
        return try Output("\(record.text)\n\(address.text(record))", json: Added(record: record, address: address))
    }

    /// Nil: they stay as they are.
    private static func purchaseKeys(_ arguments: Arguments) throws -> [String]? {
        let keys = try arguments.all(PurchaseKeyFile.option).map { path throws in try PurchaseKeyFile.read(path) }
        guard arguments.isSet(PurchaseKeyFile.none) else { return keys.isEmpty ? nil : keys }
        guard keys.isEmpty else {
            throw arguments.wrong("\(PurchaseKeyFile.none.name) does not go with \(PurchaseKeyFile.option.name)")
        }
        return []
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
            teamID.map { "team \($0)" }, appleID.map { "Apple's number \($0)" }, "changed \(changedAt.rfc3339)",
        ]
        return "\(app) of \(organisation): \(facts.compactMap { $0 }.joined(separator: ", "))"
    }
}
