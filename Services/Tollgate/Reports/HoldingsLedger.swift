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

    /// As the stores keep it, byte for byte: anybody may claim `é` and `é` with an accent, and they are two.
    private struct Transaction: TextIdentifier {
        let rawValue: String
    }

    private var holders: [Transaction: AppUserID] = [:]
    private var others: [Transaction: Set<AppUserID>] = [:]

    /// Nobody holds anything.
    package init() {}

    /// Takes in a page.
    package mutating func add(_ holdings: [HoldingsPage.Value.Holding]) {
        for holding in holdings {
            let transaction = Transaction(rawValue: holding.transaction)
            guard let first = holders[transaction] else {
                holders[transaction] = holding.user
                continue
            }
            if first != holding.user { others[transaction, default: []].insert(holding.user) }
        }
    }

    /// The transactions that are held by two or more, in alphabetical order.
    package var conflicts: [Conflict] {
        others.map { transaction, users in
            let all = users.union(holders[transaction].map { [$0] } ?? [])
            return Conflict(transaction: transaction.rawValue, users: all.sorted())
        }
        .sorted { $0.transaction < $1.transaction }
    }
}
