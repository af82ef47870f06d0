internal import Crypto
internal import Messages
internal import ServiceKit

/// `tollgate keys add`
struct KeysAdd: ToolCommand {
    static let scope = Option<KeyRecord.Scope>(
        "--scope", "SCOPE", "What it may do: read; write: also change what belongs to users; admin: everything",
        expectation: "read, write or admin", default: "read"
    ) { name in KeyRecord.Scope.all.first { $0.rawValue == name } }

    static let layout = CommandLayout(
        "keys add", "Makes a key with which a server may ask, and shows its secret this once",
        details: "Only the secret's SHA-256 leaves this process. Whoever loses it makes another key.",
        operands: [Operand("NAME", "Names the key in lists")],
        options: [Subject.organisation, scope, OperatorOptions.by] + Conversation.options,
        example: "tollgate keys add backend --organisation acme --scope write")

    private struct Added: Encodable {
        let key: KeyRecord
        let secret: String
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        guard let id: KeyID = Subject.name(arguments.operand(0)) else {
            throw arguments.wrong("NAME: expected \(KeyID.expectation)")
        }
        let secret = Secret("tk_" + Base64.url.encode(RandomBytes.make(32)))
        let add = KeyAdd(
            organisation: try arguments.value(of: Subject.organisation), id: id,
            digest: Digest.sha256(secret.revealed.utf8).hexadecimal, scope: try arguments.value(of: scope))
        let record: KeyRecord
        do {
            record = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
                try await conversation.command(add)
            }
        } catch let failure as ToolFailure where failure.status == .unavailable {
            // The command is durable: it may be applied later, and then nobody would know the secret.
            throw ToolFailure(
                .unavailable,
                "\(failure)\n  if the key turns up in tollgate keys list, its secret is \(secret.revealed)")
        }
        let text = "\(record.text)\nsecret, shown this once: \(secret.revealed)"
        return try Output(text, json: Added(key: record, secret: secret.revealed))
    }
}

extension KeyRecord {
    /// A line for people.
    var text: String {
        let state = revokedAt.map { "revoked \($0.rfc3339)" } ?? "added \(addedAt.rfc3339)"
        return "\(id) of \(organisation): \(scope), \(state)"
    }
}
