package import Lane
package import Messages
package import SQLite

/// `app.changed.v1`: keeps the app unless a newer version is there.
package struct ProjectApp: MessageHandler {
    package init() {}

    package func apply(
        _ message: AppChanged, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try AppStore.record(message.record, in: transaction)
        return .applied
    }
}
