internal import Lane
internal import Messages
internal import SQLite

/// `key.add.v1`: adds a server key, and tells the edges.
struct AddKey: MessageHandler {
    func prepare(_ message: KeyAdd, _ context: MessageContext) throws -> RegistryRules.Checked<KeyAdd> {
        RegistryRules.check(message)
    }

    func apply(
        _ prepared: RegistryRules.Checked<KeyAdd>, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<KeyRecord> {
        let command: KeyAdd
        switch prepared {
        case .good(let good): command = good
        case .refused(let refusal): return .refused(refusal)
        }
        guard try AppStore.has(command.organisation, in: transaction) else {
            return .refused(Refusal("organisation_unknown", "\(command.organisation) has no app"))
        }
        let known = try KeyStore.key(
            command.id, of: command.organisation, orDigest: command.digest, in: transaction)
        if let known {
            // The same command again, long after it was forgotten; it brings no revoked key back.
            if known.isAdded(by: command) { return .applied(known) }
            return .refused(Refusal("key_exists", "There is a key of this name, or with this secret"))
        }
        let version = try RegistryVersion.current(in: transaction) + 1
        try RegistryVersion.raise(to: version, in: transaction)
        let key = KeyRecord(
            organisation: command.organisation, id: command.id, digest: command.digest, scope: command.scope,
            addedAt: context.acceptedAt, version: version)
        try KeyStore.add(key, bucket: context.bucket, in: transaction)
        try outgoing.publish(KeyChanged(record: key))
        try context.note(.addKey, key.text, in: transaction)
        return .applied(key)
    }
}

extension KeyRecord {
    /// For the audit trail.
    var text: String { "\(organisation)/\(id), \(scope)" }

    fileprivate func isAdded(by command: KeyAdd) -> Bool {
        organisation == command.organisation && id == command.id && digest == command.digest && scope == command.scope
    }
}
