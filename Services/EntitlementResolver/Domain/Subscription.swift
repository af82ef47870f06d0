package import Messages

/// What a chain amounts to in one environment: the counting evidence of each of its transactions, and what the store said
/// would become of it. No transactions are left where all of them were taken back.
package struct Subscription: Hashable, Sendable {
    package var environment: StoreEnvironment
    /// By purchase date, then by id.
    package let transactions: [StoreTransaction]
    /// What decides anything of all that was signed, oldest first.
    package let renewals: [StoreRenewal]

    package init(
        environment: StoreEnvironment, transactions: [StoreTransaction], renewals: [StoreRenewal] = []
    ) {
        self.environment = environment
        self.transactions = transactions.sorted { left, right in
            left.purchasedAt != right.purchasedAt
                ? left.purchasedAt < right.purchasedAt : left.id < right.id
        }
        self.renewals = renewals
    }

    /// The newest word about what comes; nil: a period has begun since of which nothing was said.
    package var outlook: StoreRenewal? {
        guard let newest = renewals.last else { return nil }
        // Stores renew up to a day ahead: what was signed before the period began may be about it.
        guard let last = transactions.last, last.purchasedAt > newest.signedAt else { return newest }
        return newest.renewsAt != nil && newest.renewsAt == last.expiresAt ? newest : nil
    }
}
