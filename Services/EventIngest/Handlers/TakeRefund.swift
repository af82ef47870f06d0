internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `customer.refund.v1`, in the partition of the user: a store has paid something back, or has not after all.
package struct TakeRefund: MessageHandler {
    package init() {}

    package func apply(
        _ message: CustomerRefund, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let customer = Customer(message.organisation, message.user)
        guard try !ErasureStore.covers(context.acceptedAt, of: customer, in: transaction) else { return .overtaken }
        let isNews = try FunnelFactStore.record(
            message, of: customer, toldAt: context.acceptedAt, in: transaction)
        return isNews ? .applied : .overtaken
    }
}
