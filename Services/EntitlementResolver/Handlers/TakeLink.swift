internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `link.changed.v1`, in the user's partition: the chain is his, or is his no more.
package struct TakeLink: MessageHandler {
    package init() {}

    package func apply(
        _ message: LinkChanged, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let customer = Customer(message.organisation, message.user)
        // What he claimed before he was erased is nobody's; its partition has not heard of it yet.
        guard try !ErasureStore.covers(message.claimedAt ?? message.since, of: customer, in: transaction) else {
            return .overtaken
        }
        try CustomerStore.create(customer, at: context.acceptedAt, in: transaction)
        let chain = ChainID(message.organisation, message.realm, message.originalTransactionID)
        var holding = try HoldingStore.holding(of: chain, by: message.user, in: transaction)
        let known = holding.link?.revision ?? 0
        guard message.revision != known else { return .applied }
        let news = Holding.LinkNews(
            revision: message.revision, isHeld: message.isHeld, rank: message.rank, since: message.since)
        try HoldingHistoryStore.note(
            news, reason: message.reason, isOvertaken: message.revision < known, of: chain, by: customer,
            at: context.now,
            in: transaction)
        // Without evidence there is nothing that was bought, nor that it could unlock.
        let isKnown = !holding.subscriptions.isEmpty
        if isKnown { try ToldPurchaseStore.mark(chain, of: customer, at: context.now, in: transaction) }
        guard message.revision > known else { return .overtaken }
        holding.link = news
        try HoldingStore.save(holding, of: customer, in: transaction)
        if isKnown {
            try Assessment.assess(customer, now: context.now, in: transaction, outgoing: &outgoing)
        }
        return .applied
    }
}
