internal import Lane
internal import Messages
internal import SQLite

/// `app.put.v1`: connects an app or changes its settings, and tells everybody.
struct PutApp: MessageHandler {
    func prepare(_ message: AppPut, _ context: MessageContext) throws -> RegistryRules.Checked<AppPut> {
        RegistryRules.check(message)
    }

    func apply(
        _ prepared: RegistryRules.Checked<AppPut>, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<AppRecord> {
        let command: AppPut
        switch prepared {
        case .good(let good): command = good
        case .refused(let refusal): return .refused(refusal)
        }
        let known = try AppStore.app(command.app, of: command.organisation, in: transaction)
        let decision = RegisteredApp.Decision(at: context.acceptedAt, by: context.id)
        let version = try RegistryVersion.current(in: transaction) + 1
        switch RegisteredApp.after(command, decision, from: known, version: version) {
        case .refused(let refusal): return .refused(refusal)
        case .unchanged(let app):
            if app != known { try AppStore.put(app, bucket: context.bucket, in: transaction) }
            return .applied(app.record)
        case .changed(let app):
            try RegistryVersion.raise(to: version, in: transaction)
            try AppStore.put(app, bucket: context.bucket, in: transaction)
            try outgoing.publish(AppChanged(record: app.record))
            try context.note(.putApp, Key.app(command.organisation, command.app), in: transaction)
            return .applied(app.record)
        }
    }
}
