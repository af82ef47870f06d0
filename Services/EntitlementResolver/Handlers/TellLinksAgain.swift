package import Lane
package import Messages
package import SQLite

/// Tells users again what they were told, all of it once in every interval and evenly over it: a message that ended as a
/// dead letter leaves nobody without what is his for longer, nor two with what is one's.
package struct TellLinksAgain: Alarm {
    /// How many links at once.
    static let portion: Int64 = 50

    package let name = "retelling"
    private let interval: Duration

    /// - Parameter interval: zero: never.
    package init(every interval: Duration) { self.interval = interval }

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        guard interval > .zero else { return nil }
        guard let progress = try RetellingStore.progress(in: snapshot) else { return Timestamp(clamping: 0) }
        return progress.due(every: interval, portion: Self.portion)
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        guard var progress = try RetellingStore.progress(in: transaction), progress.after < progress.through else {
            // Whoever comes in from now on has just been told.
            let all = try ToldLinkStore.greatestNumber(in: transaction)
            return try RetellingStore.save(.init(beganAt: now, through: all, after: 0), in: transaction)
        }
        let page = try ToldLinkStore.page(
            after: progress.after, through: progress.through, limit: Int(Self.portion), in: transaction)
        progress.shift(to: now, every: interval, portion: Self.portion)
        for told in page { try ChainNews(chain: told.chain).tellAgain(told, in: transaction, outgoing: &outgoing) }
        progress.after = page.count < Int(Self.portion) ? progress.through : page.last?.number ?? progress.through
        try RetellingStore.save(progress, in: transaction)
    }
}
