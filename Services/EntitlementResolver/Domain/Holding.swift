package import Messages

/// What a user's partition knows of his tie to one chain, from two series of events that carry the chain's revision.
///
/// Of each series the highest revision counts. A subscription is sent to its holder only, so one with a higher revision
/// than the last news of the link says by itself that the chain is his: he does not lose it because one event is late.
package struct Holding: Hashable, Sendable {
    /// From `link.changed`.
    package struct LinkNews: Hashable, Sendable {
        package var revision: Int
        package var isHeld: Bool
        package var rank: ClaimRank
        package var since: Timestamp

        package init(revision: Int, isHeld: Bool, rank: ClaimRank, since: Timestamp) {
            self.revision = revision
            self.isHeld = isHeld
            self.rank = rank
            self.since = since
        }
    }

    /// From `subscription.changed`, of one environment.
    package struct SubscriptionNews: Hashable, Sendable {
        package var revision: Int
        package var rank: ClaimRank
        package var subscription: Subscription

        package init(revision: Int, rank: ClaimRank, subscription: Subscription) {
            self.revision = revision
            self.rank = rank
            self.subscription = subscription
        }
    }

    package var chain: ChainID
    package var link: LinkNews?
    package var subscriptions: [SubscriptionNews]

    package init(chain: ChainID, link: LinkNews? = nil, subscriptions: [SubscriptionNews] = []) {
        self.chain = chain
        self.link = link
        self.subscriptions = subscriptions
    }

    /// Whether the chain is his, as far as is known.
    package var isHeld: Bool { impliedBy != nil || link?.isHeld == true }

    /// How strong his claim is.
    package var rank: ClaimRank { impliedBy?.rank ?? link?.rank ?? .unverified }

    /// Since when it is his; until the link's own news arrive, its first purchase stands in.
    package var since: Timestamp? {
        if let link, link.isHeld { return link.since }
        return subscriptions.compactMap { $0.subscription.transactions.first?.purchasedAt }.min()
    }

    private var impliedBy: SubscriptionNews? {
        guard let newest = subscriptions.max(by: { $0.revision < $1.revision }),
            newest.revision > (link?.revision ?? 0)
        else { return nil }
        return newest
    }
}
