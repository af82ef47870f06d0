internal import Lane
internal import Messages
internal import SQLite

/// Brings a chain's link up to date and tells the users concerned; the only place that raises a revision.
struct ChainSettlement {
    let chain: ChainID
    let context: MessageContext

    /// Puts a claim that is not known yet in its place among the others.
    ///
    /// - Returns: whether newer claims have overtaken it: it is kept, and has changed nothing.
    func settle(adding claim: Claim, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws -> Bool {
        let before = try ChainStore.chain(chain, in: transaction)
        let newest = try ClaimStore.newest(to: chain, in: transaction)
        guard newest.map({ $0 < claim.version }) ?? true else {
            let link = try judgeAll(adding: claim, in: transaction)
            try conclude(before, link: link, changed: [], in: transaction, outgoing: &outgoing)
            return link == before.link
        }
        let step = Link.after(
            before.link, claim,
            activity: try activity(if: claim.policy == .moveIfInactive && before.link != nil, in: transaction))
        try ClaimStore.insert(claim, to: chain, outcome: step.outcome, bucket: context.bucket, in: transaction)
        if step.link == before.link {
            try ClaimStore.forgetOlder(like: claim, to: chain, outcome: step.outcome, in: transaction)
        }
        try conclude(before, link: step.link, changed: [], in: transaction, outgoing: &outgoing)
        return false
    }

    /// Draws the conclusions from evidence that came or went in `environment`.
    func settle(
        changed environment: StoreEnvironment, in transaction: borrowing Transaction, outgoing: inout Outgoing
    ) throws {
        let before = try ChainStore.chain(chain, in: transaction)
        let link =
            try ClaimStore.dependsOnEvidence(chain, in: transaction)
            ? try judgeAll(adding: nil, in: transaction) : before.link
        try conclude(before, link: link, changed: [environment], in: transaction, outgoing: &outgoing)
    }

    /// Judges every claim anew, in order: a late one, or late evidence, may change what those after it did.
    private func judgeAll(adding new: Claim?, in transaction: borrowing Transaction) throws -> Link? {
        var known = try ClaimStore.all(to: chain, in: transaction)
        if let new {
            known.insert((new, nil), at: known.firstIndex { new.version < $0.claim.version } ?? known.count)
        }
        let claims = known.map(\.claim)
        let activity = try activity(if: claims.contains { $0.policy == .moveIfInactive }, in: transaction)
        let derived = Link.derived(from: claims, activity: activity)
        for (known, outcome) in zip(known, derived.outcomes) where known.outcome != outcome {
            if known.claim == new {
                try ClaimStore.insert(
                    known.claim, to: chain, outcome: outcome, bucket: context.bucket, in: transaction)
            } else {
                try ClaimStore.judge(known.claim.version, to: chain, as: outcome, in: transaction)
            }
        }
        return derived.link
    }

    private func activity(if isNeeded: Bool, in transaction: borrowing Transaction) throws -> Activity {
        guard isNeeded else { return .none }
        return Activity(of: try EvidenceStore.subscriptions(of: chain, in: transaction))
    }

    /// Stores the new revision and publishes it, if anything is new.
    private func conclude(
        _ before: ChainStore.Chain, link: Link?, changed: [StoreEnvironment], in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws {
        guard link != before.link || !changed.isEmpty else { return }
        let after = ChainStore.Chain(revision: before.revision + 1, link: link)
        try ChainStore.save(after, as: chain, bucket: context.bucket, in: transaction)
        guard let link else { return }
        if link != before.link {
            try ChainStore.remember(
                link, of: chain, revision: after.revision, cause: context.id, knownAt: context.now,
                bucket: context.bucket, in: transaction)
            if let loser = before.link?.user, loser != link.user {
                try publish(link, of: loser, isHeld: false, revision: after.revision, outgoing: &outgoing)
            }
            try publish(link, of: link.user, isHeld: true, revision: after.revision, outgoing: &outgoing)
        }
        // Also of environments in which nothing is left: whoever holds the chain may have heard of what was there.
        let isNewHolder = before.link?.user != link.user
        for subscription in try EvidenceStore.subscriptions(of: chain, in: transaction)
        where isNewHolder || changed.contains(subscription.environment) {
            try outgoing.publish(
                SubscriptionChanged(
                    organisation: chain.organisation, realm: chain.realm, environment: subscription.environment,
                    originalTransactionID: chain.original, user: link.user, rank: link.rank,
                    revision: after.revision, transactions: subscription.transactions,
                    renewals: subscription.renewals.isEmpty ? nil : subscription.renewals))
        }
    }

    private func publish(
        _ link: Link, of user: AppUserID, isHeld: Bool, revision: Int, outgoing: inout Outgoing
    ) throws {
        try outgoing.publish(
            LinkChanged(
                organisation: chain.organisation, realm: chain.realm, originalTransactionID: chain.original,
                user: user, isHeld: isHeld, rank: link.rank, revision: revision, since: link.since))
    }
}
