package import Messages

/// Who holds which transaction, over all partitions: each may have one holder.
///
/// Pure. True only at rest: while a link moves, its old user's partition may hear of it after the new one's.
package struct HoldingsLedger: Sendable {
    /// A transaction with more than one holder.
    package struct Conflict: Encodable, Sendable, Hashable {
        /// `<organisation>/<realm>/<originalTransactionID>`.
        package var transaction: String
        /// Who holds it, in alphabetical order.
        package var users: [AppUserID]
    }

    private var holders: [String: AppUserID] = [:]
    private var others: [String: Set<AppUserID>] = [:]

    /// Nobody holds anything.
    package init() {}

    /// Takes in a page.
    package mutating func add(_ holdings: [HoldingsPage.Value.Holding]) {
        for holding in holdings {
            guard let first = holders[holding.transaction] else {
                holders[holding.transaction] = holding.user
                continue
            }
            if first != holding.user { others[holding.transaction, default: []].insert(holding.user) }
        }
    }

    /// The transactions that are held by two or more, in alphabetical order.
    package var conflicts: [Conflict] {
        others.map { transaction, users in
            let all = users.union(holders[transaction].map { [$0] } ?? [])
            return Conflict(transaction: transaction, users: all.sorted())
        }
        .sorted { $0.transaction < $1.transaction }
    }
}
