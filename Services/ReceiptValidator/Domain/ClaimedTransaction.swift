internal import FoundationEssentials
internal import Messages

extension LinkClaim {
    /// What a caller's claim amounts to, given what is held of the artifact that came with it.
    ///
    /// A verified artifact speaks for itself, under its own id: whoever has it holds the transaction. Of a refused one
    /// only the caller's word is left.
    ///
    /// - Parameter trust: of the caller, as far as it is believed.
    init(
        _ claim: TransactionClaim, organisation: OrganisationID, app: AppID, verdict: ArtifactVerdict, trust: Trust
    ) {
        let (original, rank): (OriginalTransactionID, ClaimRank) =
            switch verdict {
            case .verified(let transaction):
                (transaction.originalID, transaction.names(claim.user) ? .accountToken : .verified)
            case .refused: (claim.originalTransactionID, trust == .attested ? .attested : .unverified)
            }
        self.init(organisation: organisation, app: app, originalTransactionID: original, user: claim.user, rank: rank)
    }
}

extension StoreTransaction {
    /// Whether the store signed this user's own id into it. UUIDs are compared as such: their case does not count.
    fileprivate func names(_ user: AppUserID) -> Bool {
        guard let token = appAccountToken.flatMap(UUID.init(uuidString:)) else { return false }
        return token == UUID(uuidString: user.rawValue)
    }
}
