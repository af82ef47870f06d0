package import Messages

/// A transaction as a store signed it once; the store may sign the same transaction again, with news about it.
package struct Evidence: Hashable, Sendable {
    /// Where it is from: a transaction has one piece of evidence from each source at a time.
    package struct Source: Hashable, Sendable, Comparable {
        /// The app for which the artifact was verified.
        package var app: AppID
        /// The artifact that it was read from.
        package var digest: ArtifactDigest

        package init(app: AppID, digest: ArtifactDigest) {
            self.app = app
            self.digest = digest
        }

        package static func < (left: Source, right: Source) -> Bool {
            (left.digest, left.app) < (right.digest, right.app)
        }
    }

    package var transaction: StoreTransaction
    package var source: Source

    package init(_ transaction: StoreTransaction, from source: Source) {
        self.transaction = transaction
        self.source = source
    }

    /// Whether it counts in place of `other`, about the same transaction: the newer signed date does, and of two of the
    /// same date the revocation. Between equals in both the greater source decides, so that the order of arrival does
    /// not.
    package func supersedes(_ other: Evidence) -> Bool {
        if transaction.signedAt != other.transaction.signedAt {
            return transaction.signedAt > other.transaction.signedAt
        }
        let isRevocation = transaction.revokedAt != nil
        if isRevocation != (other.transaction.revokedAt != nil) { return isRevocation }
        return other.source < source
    }
}

/// What a chain amounts to in one environment: the counting evidence of each of its transactions. None are left where all
/// of them were taken back.
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
