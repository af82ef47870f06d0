internal import FoundationEssentials
internal import Messages

extension LinkClaim {
    /// What a caller's claim amounts to, given what is held of the artifact that came with it.
    ///
    /// Whoever has a verified artifact holds the transactions in it. A signed transaction is one, and speaks for itself
    /// under its own id; of several, the one that the caller names. Of a refused artifact, and of a transaction that is
    /// not in it, only the caller's word is left: as it is of one that turns out to be no good later.
    ///
    /// - Parameter trust: of the caller, as far as it is believed.
    init(
        _ claim: TransactionClaim, organisation: OrganisationID, app: AppID, kind: Artifact.Kind,
        digest: ArtifactDigest, verdict: ArtifactVerdict, trust: Trust
    ) {
        let rankWithout: ClaimRank = trust == .attested ? .attested : .unverified
        let held = verdict.facts.transactions.filter { kind == .transaction || $0.isNamed(by: claim) }
        let (original, rank): (OriginalTransactionID, ClaimRank) =
            if let first = held.first {
                (
                    first.originalID,
                    held.contains { $0.originalID == first.originalID && $0.names(claim.user) }
                        ? .accountToken : .verified
                )
            } else {
                (claim.originalTransactionID, rankWithout)
            }
        self.init(
            organisation: organisation, app: app, originalTransactionID: original, user: claim.user, rank: rank,
            digest: held.isEmpty ? nil : digest, rankWithout: held.isEmpty ? nil : rankWithout)
    }
}

extension StoreTransaction {
    /// Whether the caller means the chain of this one: devices do not always know which of its ids is the first.
    fileprivate func isNamed(by claim: TransactionClaim) -> Bool {
        originalID == claim.originalTransactionID || id.rawValue == claim.originalTransactionID.rawValue
    }

    /// Whether the store signed this user's own id into it. UUIDs are compared as such: their case does not count.
    fileprivate func names(_ user: AppUserID) -> Bool {
        guard let token = appAccountToken.flatMap(UUID.init(uuidString:)) else { return false }
        return token == UUID(uuidString: user.rawValue)
    }
}
