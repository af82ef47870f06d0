internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `customer.purchase.v1`: what the user has bought counts for the last exposure before it.
package struct TakePurchase: MessageHandler {
    package init() {}

    package func apply(
        _ message: CustomerPurchase, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let customer = Customer(message.organisation, message.user)
        // What was his before he was erased counts on as nobody's.
        guard try !ErasureStore.covers(message.linkedAt, of: customer, in: transaction) else { return .overtaken }
        let id = PurchaseStore.ID(
            customer: customer, realm: message.realm, environment: message.environment,
            transaction: message.transaction)
        guard try PurchaseStore.record(message, of: id, in: transaction) else { return .overtaken }
        try Crediting(id: id, now: context.now).settle(transaction, outgoing: &outgoing)
        return .applied
    }
}
