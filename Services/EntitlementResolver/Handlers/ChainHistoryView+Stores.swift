internal import Messages

// What stores keep, as it is told to operators and edges.

extension ChainStore.Chain {
    /// The link as it is told to operators and edges.
    var view: ChainHistoryView.Link? {
        link.map { .init(user: $0.user, rank: $0.rank, since: $0.since, revision: revision) }
    }
}

extension ChainStore.PastLink {
    /// The same of a link that was.
    var view: ChainHistoryView.Link? {
        link.map { .init(user: $0.user.told, rank: $0.rank, since: $0.since, revision: revision) }
    }
}

extension ClaimStore.Kept {
    /// The claim as it is told to operators and edges; who was erased is nobody.
    var view: ChainHistoryView.Claim {
        let grounds = claim.grounds
        return ChainHistoryView.Claim(
            acceptedAt: claim.version.acceptedAt, message: claim.version.message, app: claim.app,
            user: claim.user.told, rank: claim.rank, policy: claim.policy,
            outcome: .init(rawValue: outcome?.rawValue ?? ""), knownAt: knownAt, digest: grounds?.digest,
            rankBefore: grounds.flatMap { $0.rank == claim.rank ? nil : $0.rank })
    }
}
