package import Lane
package import Messages
package import SQLite

/// `paywall.configured.v1`, in every partition: keeps this version; the highest counts.
package struct ProjectPaywall: MessageHandler {
    package init() {}

    package func apply(
        _ message: PaywallConfigured, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try PaywallStore.record(message.paywall, in: transaction)
        return .applied
    }
}
