internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `customer.purchase.v1`, in the partition of the user: he has bought something, or has not after all.
package struct TakePurchase: MessageHandler {
    package init() {}

    package func apply(
        _ message: CustomerPurchase, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let customer = Customer(message.organisation, message.user)
        // The resolver tells nothing that it knew before an erasure: it was accepted when it was told.
        guard try !ErasureStore.covers(context.acceptedAt, of: customer, in: transaction) else { return .overtaken }
        let isNews = try FunnelFactStore.record(
            message, of: customer, toldAt: context.acceptedAt, in: transaction)
        return isNews ? .applied : .overtaken
    }
}
