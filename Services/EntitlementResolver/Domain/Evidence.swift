package import Messages

/// A transaction as a store signed it once; the store may sign the same transaction again, with news about it.
package struct Evidence: Hashable, Sendable {
    package var transaction: StoreTransaction
    /// The artifact that it was read from.
    package var digest: ArtifactDigest

    package init(_ transaction: StoreTransaction, digest: ArtifactDigest) {
        self.transaction = transaction
        self.digest = digest
    }

    /// Whether it counts in place of `other`, about the same transaction: the newer signed date does, and of two of the
    /// same date the revocation. Between equals in both the greater digest decides, so that the order of arrival does
    /// not.
    package func supersedes(_ other: Evidence) -> Bool {
        if transaction.signedAt != other.transaction.signedAt {
            return transaction.signedAt > other.transaction.signedAt
        }
        let isRevocation = transaction.revokedAt != nil
        if isRevocation != (other.transaction.revokedAt != nil) { return isRevocation }
        return other.digest < digest
    }
}

/// What a chain amounts to in one environment: the counting evidence of each of its transactions.
package struct Subscription: Hashable, Sendable {
    package var environment: StoreEnvironment
    /// By purchase date, then by id.
    package let transactions: [StoreTransaction]

    package init(environment: StoreEnvironment, transactions: [StoreTransaction]) {
        self.environment = environment
        self.transactions = transactions.sorted { left, right in
            left.purchasedAt != right.purchasedAt
                ? left.purchasedAt < right.purchasedAt : left.id < right.id
        }
    }
}
