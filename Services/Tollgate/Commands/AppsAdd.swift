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

    static let layout = CommandLayout(
        "apps add", "Connects an app, or changes its settings: what is not said stays as it is",
        options: [Subject.organisation, Subject.app, testRoot, linkMovePolicy, unverifiedLinksGrant]
            + Conversation.options,
        example: "tollgate apps add --organisation acme --app com.example.tunes --test-root root.pem")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let roots = try arguments.all(testRoot).map { path throws in try certificate(at: path) }
        let put = AppPut(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app),
            testRoots: roots.isEmpty ? nil : roots.map { Base64.standard.encode($0.der) },
            linkMovePolicy: try arguments.optional(linkMovePolicy),
            unverifiedLinksGrant: try arguments.optional(unverifiedLinksGrant))
        let record = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.command(put)
        }
        return try Output(record.text, json: record)
    }

    static func certificate(at path: String) throws(ToolFailure) -> Certificate {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= 1 << 16 else {
            throw ToolFailure(.failed, "cannot read \(path)", advice: "--test-root names a certificate, PEM or DER")
        }
        let bytes = Array(data)
        do {
            let text = String(validating: bytes, as: UTF8.self)
            if let text, text.contains("-----BEGIN") { return try Certificate(pem: text) }
            return try Certificate(der: bytes)
        } catch {
            throw ToolFailure(
                .failed, "\(path) is no certificate: \(error)", advice: "--test-root names a certificate, PEM or DER")
        }
    }
}

extension AppRecord {
    /// A line for people.
    var text: String {
        let links = "links \(linkMovePolicy)\(unverifiedLinksGrant ? ", unverified ones grant" : "")"
        return "\(app) of \(organisation): \(isTest ? "a test app, " : "")\(links), changed \(changedAt.rfc3339)"
    }
}
