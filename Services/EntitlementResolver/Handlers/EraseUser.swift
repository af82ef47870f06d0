internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `user.erase.v1`: deletes all that the user's side has of him, and tells every partition to forget him.
package struct EraseUser: MessageHandler {
    package init() {}

    package func apply(
        _ message: UserErase, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<UserErase.Value> {
        guard message.user.isAcceptable else { return .refused(.identifierUnacceptable) }
        let customer = Customer(message.organisation, message.user)
        if let known = try ErasureStore.time(of: context.id, of: customer, in: transaction) {
            return .applied(.init(rows: [:], erasedAt: known))
        }
        let rows = try UserRows.delete(customer, in: transaction)
        // What came after the command was accepted, and before it was applied, is taken too: it cannot be told apart.
        let erased = UserErased(
            organisation: message.organisation, user: message.user, erasedAt: context.now, erasure: context.id)
        // At once, and not when our own event comes back: what comes in between must not bring him back.
        try ErasureStore.record(
            .init(time: erased.erasedAt, command: context.id), of: customer, in: transaction)
        try outgoing.publish(erased)
        try AuditTrail.note(
            .eraseUser, by: message.by, why: message.why, count: 1, run: context.id, bucket: context.bucket,
            at: context.now, in: transaction)
        return .applied(.init(rows: rows, erasedAt: erased.erasedAt))
    }
}
