package import Lane
package import Messages
package import SQLite

/// Tells what users have bought and got back, where that has changed since it was told.
///
/// Not at once with each piece of news: a chain may be told a period at a time, the newest first, and each one before makes
/// the whole of it older.
package struct TellPurchases: Alarm {
    /// How many chains at once, and with how many transactions it is enough.
    private static let portion = 200

    package let name = "purchases"

    package init() {}

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try ToldPurchaseStore.next(in: snapshot)
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        var told = 0
        for untold in try ToldPurchaseStore.untold(limit: Self.portion, in: transaction) where told < Self.portion {
            told += try Self.tell(untold, now: now, in: transaction, outgoing: &outgoing)
            try ToldPurchaseStore.unmark(untold, in: transaction)
        }
    }

    /// - Returns: of how many transactions there was something to tell.

    private static func tell(
        _ untold: ToldPurchaseStore.Untold, now: Timestamp, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Int {
        var count = 0
        let user = untold.customer.user
        let holding = try HoldingStore.holding(of: untold.chain, by: user, in: transaction)
        let links =
            holding.isHeld
            ? [] : try HoldingHistoryStore.links(of: untold.chain, by: untold.customer, in: transaction)
        let tenure = Tenure(of: holding, links: links)
        for news in holding.subscriptions {
            let place = PurchasePlace(untold.chain, news.subscription.environment, of: user)
            let app = try untold.app ?? ToldPurchaseStore.app(of: place, in: transaction) ?? nil
            let purchases = Purchase.all(in: news.subscription, boughtIn: app, tenure: tenure)
            let told = try ToldPurchaseStore.told(of: place, in: transaction)
            for id in Set(purchases.keys).union(told.keys).sorted() {
                let isNews = try tell(
                    purchases[id] ?? told[id]?.purchase().retracted, after: told[id], of: id, in: place, now: now,
                    in: transaction, outgoing: &outgoing)
                if isNews { count += 1 }
            }
        }
        return count
    }

    private static func tell(
        _ purchase: Purchase?, after told: ToldPurchaseStore.Told?, of id: TransactionID, in place: PurchasePlace,
        now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing
    ) throws -> Bool {
        guard let purchase else { return false }
        let text = try MessageJSON.encode(purchase)
        guard text != told?.text else { return false }
        let before = try told?.purchase()
        // By the clock, so that it also grows where all that was told has been forgotten in between.
        let revision = max((told?.revision ?? 0) + 1, Int(now.millisecondsSince1970))
        try ToldPurchaseStore.record(
            text, boughtIn: purchase.app, of: id, in: place, revision: revision, in: transaction)
        if before.map(purchase.sellsAs) != true {
            try outgoing.publish(purchase.event(of: id, in: place, revision: revision))
        }
        if let refund = purchase.refundEvent(after: before, of: id, in: place, revision: revision) {
            try outgoing.publish(refund)
        }
        return true
    }
}
