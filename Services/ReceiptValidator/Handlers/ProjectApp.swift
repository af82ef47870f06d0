package import Lane
package import Messages
package import SQLite

/// `app.changed.v1`: keeps the app unless a newer version is there, and shows it to those who prepare.
package struct ProjectApp: MessageHandler {
    private let directory: AppDirectory

    package init(directory: AppDirectory) { self.directory = directory }

    package func apply(
        _ message: AppChanged, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try AppStore.record(message.record, in: transaction)
        return .applied
    }

    package func committed(_ message: AppChanged) { directory.put(message.record) }
}
