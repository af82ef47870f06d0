internal import Lane
internal import Messages
internal import SQLite

/// `key.revoke.v1`: ends a server key, and tells the edges.
struct RevokeKey: MessageHandler {
    func prepare(_ message: KeyRevoke, _ context: MessageContext) throws -> RegistryRules.Checked<KeyRevoke> {
        RegistryRules.check(message)
    }

    func apply(
        _ prepared: RegistryRules.Checked<KeyRevoke>, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<KeyRecord> {
        let command: KeyRevoke
        switch prepared {
        case .good(let good): command = good
        case .refused(let refusal): return .refused(refusal)
        }
        guard var key = try KeyStore.key(command.id, of: command.organisation, in: transaction) else {
            return .refused(Refusal("key_unknown", "\(command.organisation) has no key \(command.id)"))
        }
        guard key.revokedAt == nil else { return .applied(key) }
        let version = try RegistryVersion.current(in: transaction) + 1
        try RegistryVersion.raise(to: version, in: transaction)
        key.revokedAt = context.acceptedAt
        key.version = version
        try KeyStore.revoke(key, in: transaction)
        try outgoing.publish(KeyChanged(record: key))
        try context.note(.revokeKey, key.text, in: transaction)
        return .applied(key)
    }
}
