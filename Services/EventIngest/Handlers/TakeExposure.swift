internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `paywall.exposed.v1`, in the partition of the user: he has seen a paywall.
package struct TakeExposure: MessageHandler {
    package init() {}

    package func apply(
        _ message: PaywallExposed, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let customer = Customer(message.organisation, message.user)
        guard try !ErasureStore.covers(message.namedAt, of: customer, in: transaction) else { return .overtaken }
        try FunnelFactStore.record(message, of: customer, in: transaction)
        return .applied
    }
}
