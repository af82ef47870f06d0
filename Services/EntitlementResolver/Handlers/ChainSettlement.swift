internal import Erasures
internal import Lane
internal import Messages
internal import SQLite

/// Brings a chain's link up to date and tells the users concerned; the only place that raises a revision.
struct ChainSettlement {
    let chain: ChainID
    /// What it follows from.
    let cause: MessageID
    let now: Timestamp

    init(chain: ChainID, cause: MessageID, now: Timestamp) {
        self.chain = chain
        self.cause = cause
        self.now = now
    }

    init(chain: ChainID, context: MessageContext) {
        self.init(chain: chain, cause: context.id, now: context.now)
    }

    /// Puts a claim that is not known yet in its place among the others.
    ///
    /// - Returns: whether newer claims have overtaken it: it is kept, and has changed nothing.
    func settle(adding claim: Claim, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws -> Bool {
        let before = try ChainStore.chain(chain, in: transaction)
        guard try isNewest(claim, in: transaction) else {
            let derived = try judgeAll(adding: claim, in: transaction)
            try conclude(
                before, derived.link, derived.standings, changed: [], in: transaction, outgoing: &outgoing)
            return derived.link == before.link
        }
        let step = Link.after(
            before.link, claim,
            activity: try activity(if: claim.policy == .moveIfInactive && before.link != nil, in: transaction))
        try ClaimStore.insert(claim, to: chain, outcome: step.outcome, knownAt: now, in: transaction)
        if step.link == before.link {
            try ClaimStore.forgetOlder(like: claim, to: chain, outcome: step.outcome, in: transaction)
        }
        // Nobody else's standing hangs on it.
        var known: [AppUserID: Standing] = [:]
        for user in Set([claim.user, before.link?.user].compactMap(\.self)) {
            known[user] = try ToldLinkStore.standing(of: user, to: chain, in: transaction)
        }
        var standings = Standings(known)
        standings.take(claim, step.outcome, from: before.link, to: step.link)
        try conclude(before, step.link, standings, changed: [], in: transaction, outgoing: &outgoing)
        return false
    }

    /// Draws the conclusions from what an artifact tells of the chain now.
    ///
    /// - Parameters:
    ///   - environment: where the chain amounts to something else by it; nil: nowhere.
    ///   - source: the artifact, where claims may rest on it.
    func settle(
        changed environment: StoreEnvironment?, by source: Evidence.Source? = nil,
        in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws {
        let haveRanksChanged = try source.map { try setRanks(restingOn: $0, in: transaction) } ?? false
        guard environment != nil || haveRanksChanged else { return }
        let before = try ChainStore.chain(chain, in: transaction)
        let changed = [environment].compactMap(\.self)
        guard try haveRanksChanged || ClaimStore.dependsOnEvidence(chain, in: transaction) else {
            return try conclude(
                before, before.link, Standings(), changed: changed, in: transaction, outgoing: &outgoing)
        }
        let derived = try judgeAll(in: transaction)
        try conclude(before, derived.link, derived.standings, changed: changed, in: transaction, outgoing: &outgoing)
    }

    private func setRanks(restingOn source: Evidence.Source, in transaction: borrowing Transaction) throws -> Bool {
        guard try ClaimStore.rests(on: source, to: chain, in: transaction) else { return false }
        let counts = try !EvidenceStore.isRetracted(source, from: chain, in: transaction)
        return try ClaimStore.setRanks(restingOn: source, counts: counts, to: chain, in: transaction)
    }

    /// Draws the conclusions from the erasure of somebody who claimed the chain.
    func settleErasure(in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        let before = try ChainStore.chain(chain, in: transaction)
        let derived = try judgeAll(in: transaction)
        try conclude(before, derived.link, derived.standings, changed: [], in: transaction, outgoing: &outgoing)
    }

    /// Whether only the link as it is decides what a claim does. What an operator has said, and what was said in the name
    /// of somebody who was erased, is judged with all the others.
    private func isNewest(_ claim: Claim, in transaction: borrowing Transaction) throws -> Bool {
        if claim.isUnpin || claim.user.isErased { return false }
        if let newest = try ClaimStore.newest(to: chain, in: transaction), !(newest < claim.version) { return false }
        let erased = try ErasureStore.erasures(in: chain, in: transaction).last
        return erased.map { $0.time < claim.version.acceptedAt } ?? true
    }

    /// Judges every claim anew, in order: a late one, or late evidence, may change what those after it did.
    private func judgeAll(adding new: Claim? = nil, in transaction: borrowing Transaction) throws -> Link.Derivation {
        var known = try ClaimStore.all(to: chain, in: transaction)
        if let new {
            let place = known.firstIndex { new.version < $0.claim.version } ?? known.count
            known.insert(ClaimStore.Kept(claim: new, outcome: nil, knownAt: now), at: place)
        }
        let claims = known.map(\.claim)
        let activity = try activity(if: claims.contains { $0.policy == .moveIfInactive }, in: transaction)
        let derived = Link.derived(
            from: claims, erasures: try ErasureStore.erasures(in: chain, in: transaction), activity: activity)
        for (known, outcome) in zip(known, derived.outcomes) where known.outcome != outcome {
            if known.claim.version == new?.version {
                try ClaimStore.insert(known.claim, to: chain, outcome: outcome, knownAt: now, in: transaction)
            } else {
                try ClaimStore.judge(known.claim.version, to: chain, as: outcome, in: transaction)
            }
        }
        return derived
    }

    private func activity(if isNeeded: Bool, in transaction: borrowing Transaction) throws -> Activity {
        guard isNeeded else { return .none }
        return Activity(of: try EvidenceStore.subscriptions(of: chain, in: transaction))
    }

    /// Stores the new revision and publishes it, if anything is new.
    ///
    /// - Parameter standings: of those whom it may concern; they are told what is new to them.
    private func conclude(
        _ before: ChainStore.Chain, _ link: Link?, _ standings: Standings, changed: [StoreEnvironment],
        in transaction: borrowing Transaction, outgoing: inout Outgoing
    ) throws {
        let told = try told(to: standings, in: transaction)
        let news = standings.byUser.filter { told[$0.key] != $0.value }
        guard link != before.link || !changed.isEmpty || !news.isEmpty else { return }
        let revision = before.revision + 1
        try ChainStore.save(.init(revision: revision, link: link), as: chain, in: transaction)
        if link != before.link {
            try ChainStore.remember(
                .init(revision: revision, link: link, cause: cause, knownAt: now), of: chain, in: transaction)
        }
        let teller = ChainNews(chain: chain)
        // Who lost hears of it before who won.
        for (user, standing) in news.sorted(by: {
            ($0.value.isHeld ? 1 : 0, $0.key) < ($1.value.isHeld ? 1 : 0, $1.key)
        }) {
            try ToldLinkStore.record(standing, of: user, to: chain, revision: revision, in: transaction)
            try teller.tell(standing, to: user, revision: revision, in: transaction, outgoing: &outgoing)
        }
        guard let link else { return }
        // Also of environments in which nothing is left: whoever holds the chain may have heard of what was there.
        let isNewHolder = before.link?.user != link.user
        guard isNewHolder || !changed.isEmpty else { return }
        for subscription in try EvidenceStore.subscriptions(of: chain, in: transaction)
        where isNewHolder || changed.contains(subscription.environment) {
            try ToldLinkStore.record(subscription.environment, of: chain, revision: revision, in: transaction)
            try teller.tell(subscription, to: link, revision: revision, in: transaction, outgoing: &outgoing)
        }
    }

    private func told(
        to standings: Standings, in transaction: borrowing Transaction
    ) throws -> [AppUserID: Standing] {
        guard standings.byUser.count > 2 else {
            var told: [AppUserID: Standing] = [:]
            for user in standings.byUser.keys {
                told[user] = try ToldLinkStore.standing(of: user, to: chain, in: transaction)
            }
            return told
        }
        return try ToldLinkStore.standings(to: chain, in: transaction)
    }
}
