internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `customer.refund.v1`: what was paid back is taken back from those for whom the purchase counts.
package struct TakeRefund: MessageHandler {
    package init() {}

    package func apply(
        _ message: CustomerRefund, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let customer = Customer(message.organisation, message.user)
        guard try !ErasureStore.covers(context.acceptedAt, of: customer, in: transaction) else { return .overtaken }
        let id = PurchaseStore.ID(
            customer: customer, realm: message.realm, environment: message.environment,
            transaction: message.transaction)
        guard try PurchaseStore.record(message, of: id, in: transaction) else { return .overtaken }
        try Crediting(id: id, now: context.now).settle(transaction, outgoing: &outgoing)
        return .applied
    }
}
