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
        options: [Subject.organisation, scope] + Conversation.options,
        example: "tollgate keys add backend --organisation acme --scope write")

    private struct Added: Encodable {
        let key: KeyRecord
        let secret: String
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let name = arguments.operand(0)
        guard (1...100).contains(name.utf8.count) else { throw arguments.wrong("NAME is 1 to 100 bytes long") }
        let secret = Secret("tk_" + Base64.url.encode(RandomBytes.make(32)))
        let add = KeyAdd(
            organisation: try arguments.value(of: Subject.organisation), id: KeyID(rawValue: name),
            digest: digest(of: secret), scope: try arguments.value(of: scope))
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

    /// As the registry knows it: SHA-256 in lower-case hexadecimal.
    static func digest(of secret: Secret) -> String {
        Digest.sha256(secret.revealed.utf8).reduce(into: "") { text, byte in
            let digits = String(byte, radix: 16)
            text += (digits.utf8.count == 1 ? "0" : "") + digits
        }
    }
}

extension KeyRecord {
    /// A line for people.
    var text: String {
        let state = revokedAt.map { "revoked \($0.rfc3339)" } ?? "added \(addedAt.rfc3339)"
        return "\(id) of \(organisation): \(scope), \(state)"
    }
}
