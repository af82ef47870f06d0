package import Lane
package import Messages
package import SQLite

/// `placement.configured.v1`, in every partition: keeps this version; the highest counts.
package struct ProjectPlacement: MessageHandler {
    package init() {}

    package func apply(
        _ message: PlacementConfigured, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try PlacementStore.record(message.placement, in: transaction)
        return .applied
    }
}
