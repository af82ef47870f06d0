package import Lane
package import Messages
package import SQLite

/// `app.changed.v1`: keeps this version of the app; the highest one counts.
package struct ProjectApp: MessageHandler {
    package init() {}

    package func apply(
        _ message: AppChanged, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let new = message.record
        let known = try AppStore.current(new.app, of: new.organisation, in: transaction)
        try AppStore.record(new, knownAt: context.now, in: transaction)
        guard new.version > known?.version ?? 0 else { return .applied }
        // Mappings that came before their app unlock something from now on.
        let isAwaited =
            try known == nil && MappingStore.version(of: new.app, of: new.organisation, in: transaction) > 0
        if isAwaited || (known.map { $0.unverifiedLinksGrant != new.unverifiedLinksGrant } ?? false) {
            try ReassessmentStore.ask(new.organisation, nil, at: context.now, in: transaction)
        }
        return .applied
    }
}
