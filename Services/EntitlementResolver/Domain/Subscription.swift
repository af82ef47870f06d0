package import Messages

/// What a chain amounts to in one environment: the counting evidence of each of its transactions, and what the store said
/// would become of it. No transactions are left where all of them were taken back.
package struct Subscription: Hashable, Sendable {
    /// Where a transaction stood, and where it stands now.
    package struct Move: Hashable, Sendable {
        /// Before it was taken out; nil: it was not there.
        package var from: Int?
        /// nil: it is there no more.
        package var to: Int?
    }

    package var environment: StoreEnvironment
    /// By purchase date, then by id.
    package private(set) var transactions: [StoreTransaction]
    /// What decides anything of all that was signed, oldest first.
    package var renewals: [StoreRenewal]

    package init(
        environment: StoreEnvironment, transactions: [StoreTransaction], renewals: [StoreRenewal] = []
    ) {
        self.environment = environment
        self.transactions = transactions.sorted { $0.precedes($1) }
        self.renewals = renewals
    }

    /// Takes what is told of one transaction now, in place of what was; nil: nothing any more.
    @discardableResult
    package mutating func tell(_ told: StoreTransaction?, of id: TransactionID) -> Move {
        var move = Move()
        move.from = transactions.firstIndex { $0.id == id }
        if let from = move.from { transactions.remove(at: from) }
        guard let told else { return move }
        let to = firstIndex { !$0.precedes(told) }
        transactions.insert(told, at: to)
        move.to = to
        return move
    }

    /// The first of `transactions` for which `isBehind` is true, as it is of all that follow; their number if of none.
    package func firstIndex(where isBehind: (StoreTransaction) -> Bool) -> Int {
        transactions.partitioningIndex(where: isBehind)
    }

    /// The newest word about what comes; nil: a period has begun since of which nothing was said.
    package var outlook: StoreRenewal? {
        guard let newest = renewals.last else { return nil }
        // Stores renew up to a day ahead: what was signed before the period began may be about it.
        guard let last = transactions.last, last.purchasedAt > newest.signedAt else { return newest }
        return newest.renewsAt != nil && newest.renewsAt == last.expiresAt ? newest : nil
    }
}

extension StoreTransaction {
    fileprivate func precedes(_ other: StoreTransaction) -> Bool {
        purchasedAt != other.purchasedAt ? purchasedAt < other.purchasedAt : id < other.id
    }
}
