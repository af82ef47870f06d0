internal import Lane
internal import Messages
internal import SQLite

/// Tells users of a chain, the first time and again.
struct ChainNews {
    let chain: ChainID

    /// How a user stands to it.
    func tell(
        _ standing: Standing, to user: AppUserID, revision: Int, in store: borrowing some Reading & ~Copyable,
        outgoing: inout Outgoing
    ) throws {
        try outgoing.publish(
            LinkChanged(
                organisation: chain.organisation, realm: chain.realm, originalTransactionID: chain.original,
                user: user, isHeld: standing.isHeld, rank: standing.rank, revision: revision, since: standing.since,
                reason: standing.reason, claimedAt: try ClaimStore.newest(of: user, to: chain, in: store)))
    }

    /// What it amounts to in one environment.
    func tell(
        _ subscription: Subscription, to holder: Link, revision: Int, in store: borrowing some Reading & ~Copyable,
        outgoing: inout Outgoing
    ) throws {
        var news = SubscriptionChanged(
            organisation: chain.organisation, realm: chain.realm, environment: subscription.environment,
            originalTransactionID: chain.original, user: holder.user, rank: holder.rank, revision: revision,
            transactions: subscription.transactions,
            renewals: subscription.renewals.isEmpty ? nil : subscription.renewals,
            claimedAt: try ClaimStore.newest(of: holder.user, to: chain, in: store))
        news.app = try EvidenceStore.app(of: chain, subscription.environment, in: store)
        try outgoing.publish(news)
    }

    /// What was told a user last, under the revision of then.
    func tellAgain(
        _ told: ToldLinkStore.Told, in store: borrowing some Reading & ~Copyable, outgoing: inout Outgoing
    ) throws {
        try tell(told.standing, to: told.user, revision: told.revision, in: store, outgoing: &outgoing)
        guard told.standing.isHeld else { return }
        let kept = try ChainStore.chain(chain, in: store)
        guard let link = kept.link, link.user == told.user else { return }
        let revisions = try ToldLinkStore.revisions(of: chain, in: store)
        for subscription in try EvidenceStore.subscriptions(of: chain, in: store) {
            try tell(
                subscription, to: link, revision: revisions[subscription.environment] ?? kept.revision, in: store,
                outgoing: &outgoing)
        }
    }
}
