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

    /// Whether the store told all that it tells of a transaction; receipts do not, and never name an owner.
    package var isWhole: Bool { transaction.ownership != nil }
}

/// What counts of all the evidence about one transaction.
package struct CountingEvidence: Hashable, Sendable {
    /// What was signed last.
    package private(set) var newest: Evidence?
    /// What was signed last of what is whole.
    package private(set) var whole: Evidence?

    /// Of none, or of all that there is.
    package init(of evidence: some Sequence<Evidence> = []) {
        for piece in evidence { add(piece) }
    }

    /// Takes evidence of a source that neither is from.
    package mutating func add(_ evidence: Evidence) {
        if newest.map(evidence.supersedes) ?? true { newest = evidence }
        if evidence.isWhole, whole.map(evidence.supersedes) ?? true { whole = evidence }
    }

    /// The sources of what counts.
    package var sources: Set<Evidence.Source> { Set([newest?.source, whole?.source].compactMap(\.self)) }

    /// The transaction as it was signed last. What a receipt cannot say, and what never changes about a purchase, is as
    /// it was told otherwise.
    package var transaction: StoreTransaction? {
        guard let newest, !newest.isWhole, let whole else { return newest?.transaction }
        return newest.transaction.completed(by: whole.transaction)
    }
}

extension StoreTransaction {
    fileprivate func completed(by whole: StoreTransaction) -> StoreTransaction {
        var completed = self
        completed.productType = productType ?? whole.productType
        completed.ownership = ownership ?? whole.ownership
        completed.isUpgraded = isUpgraded ?? whole.isUpgraded
        completed.appAccountToken = appAccountToken ?? whole.appAccountToken
        completed.quantity = quantity ?? whole.quantity
        completed.priceMilliunits = priceMilliunits ?? whole.priceMilliunits
        completed.currency = currency ?? whole.currency
        completed.storefront = storefront ?? whole.storefront
        completed.offerType = offerType ?? whole.offerType
        completed.offerID = offerID ?? whole.offerID
        completed.offerDiscount = offerDiscount ?? whole.offerDiscount
        // How it was taken back says something of that one time alone.
        if let revokedAt, revokedAt == whole.revokedAt {
            completed.revocationReason = revocationReason ?? whole.revocationReason
            completed.revocationType = revocationType ?? whole.revocationType
            completed.revocationPercentage = revocationPercentage ?? whole.revocationPercentage
        }
        return completed
    }
}
