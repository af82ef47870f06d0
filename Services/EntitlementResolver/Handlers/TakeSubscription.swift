internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `subscription.changed.v1`, in the user's partition: what one of his chains amounts to now.
package struct TakeSubscription: MessageHandler {
    package init() {}

    package func apply(
        _ message: SubscriptionChanged, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let customer = Customer(message.organisation, message.user)
        // What he claimed before he was erased is nobody's; its partition has not heard of it yet.
        guard try !ErasureStore.covers(message.claimedAt ?? context.acceptedAt, of: customer, in: transaction) else {
            return .overtaken
        }
        try CustomerStore.create(customer, at: context.acceptedAt, in: transaction)
        let chain = ChainID(message.organisation, message.realm, message.originalTransactionID)
        var holding = try HoldingStore.holding(of: chain, by: message.user, in: transaction)
        let known = holding.subscriptions.firstIndex { $0.subscription.environment == message.environment }
        let newest = known.map { holding.subscriptions[$0].revision } ?? 0
        guard message.revision > newest else {
            guard message.revision == newest else { return .overtaken }
            // A store from before purchases were told gets them told when this is told again.
            let place = PurchasePlace(chain, message.environment, of: message.user)
            let told = try ToldPurchaseStore.app(of: place, in: transaction)
            if told == nil || told == .some(nil) && message.app != nil {
                try ToldPurchaseStore.mark(
                    chain, of: customer, boughtIn: message.app, at: context.now, in: transaction)
            }
            return .applied
        }
        let news = Holding.SubscriptionNews(
            revision: message.revision, rank: message.rank,
            subscription: Subscription(
                environment: message.environment, transactions: message.transactions,
                renewals: message.renewals ?? []))
        try HoldingHistoryStore.note(
            news, after: known.map { holding.subscriptions[$0] }, of: chain, by: customer, at: context.now,
            in: transaction)
        if let known { holding.subscriptions.remove(at: known) }
        holding.subscriptions.append(news)
        try HoldingStore.save(news, of: chain, by: customer, in: transaction)
        try HoldingStore.save(holding, of: customer, in: transaction)
        try ToldPurchaseStore.mark(chain, of: customer, boughtIn: message.app, at: context.now, in: transaction)
        try Assessment.assess(customer, now: context.now, in: transaction, outgoing: &outgoing)
        return .applied
    }
}
