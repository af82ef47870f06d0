public import Lane
public import Messages
public import SQLite

/// `app.changed.v1`: keeps the app unless a newer version is there.
public struct ProjectApp: MessageHandler {
    private let show: @Sendable (AppRecord) -> Void

    /// - Parameter show: told of each record that was committed; it may be an older one than what it was told before.
    public init(showing show: @escaping @Sendable (AppRecord) -> Void = { _ in }) { self.show = show }

    /// Keeps it.
    public func apply(
        _ message: AppChanged, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try AppStore.record(message.record, in: transaction)
        return .applied
    }

    /// Shows it.
    public func committed(_ message: AppChanged) { show(message.record) }
}
