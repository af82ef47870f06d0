package import Messages

/// Whose a chain is, and on what grounds.
///
/// A link is a function of the set of claims, taken in the order of their versions, of the erasures of users, and of the
/// chain's evidence: it does not depend on the order in which any of it arrived.
package struct Link: Hashable, Sendable {
    package var user: AppUserID
    package var rank: ClaimRank
    /// Since when it is his: the time of the claim that brought it to him.
    package var since: Timestamp

    package init(user: AppUserID, rank: ClaimRank, since: Timestamp) {
        self.user = user
        self.rank = rank
        self.since = since
    }
}

extension Link {
    /// A user who claimed the chain was erased: what he had up to then is nobody's.
    package struct Erasure: Hashable, Sendable {
        /// The last moment of which nothing is known any more.
        package var time: Timestamp
        /// Who stands in his place in the claims of until then.
        package var placeholder: AppUserID

        package init(time: Timestamp, placeholder: AppUserID) {
            self.time = time
            self.placeholder = placeholder
        }
    }

    /// What `claim`, newer than all that made `link`, makes of it.
    ///
    /// - Parameters:
    ///   - activity: when the chain was paid for; decides only under `move_if_inactive`.
    ///   - ownRank: of the link's user, by the best of his own claims until then; decides only when a pin is lifted.
    package static func after(
        _ link: Link?, _ claim: Claim, activity: Activity, ownRank: ClaimRank = .unverified
    ) -> (link: Link?, outcome: ClaimOutcome) {
        if claim.isUnpin {
            guard var link, link.rank == .pinned else { return (link, .repeated) }
            link.rank = ownRank
            return (link, .unpinned)
        }
        let claimed = Link(user: claim.user, rank: claim.rank, since: claim.version.acceptedAt)
        guard let link else { return (claimed, claim.rank == .pinned ? .pinned : .established) }
        if claim.user == link.user {
            guard claim.rank > link.rank else { return (link, .repeated) }
            return (
                Link(user: link.user, rank: claim.rank, since: link.since), claim.rank == .pinned ? .pinned : .raised
            )
        }
        // An operator knows what he does, whomever it is for and whatever another one has said before.
        if claim.rank == .pinned { return (claimed, .pinned) }
        if claim.rank < link.rank { return (link, .outranked) }
        if claim.user.isAnonymous && !link.user.isAnonymous { return (link, .anonymous) }
        if claim.rank > link.rank { return (claimed, .moved) }
        switch claim.policy {
        case .move: return (claimed, .moved)
        case .moveIfInactive:
            return activity.isActive(at: claim.version.acceptedAt) ? (link, .stillActive) : (claimed, .movedInactive)
        // A policy that this release does not know must not move what somebody has paid for.
        default: return (link, .kept)
        }
    }

    /// What all `claims` make, in the order of their versions, and what each of them did; and how all who claimed the chain
    /// stand in the end.
    package static func derived(from claims: [Claim], erasures: [Erasure] = [], activity: Activity) -> Derivation {
        var derivation = Derivation()
        var ownRanks: [AppUserID: ClaimRank] = [:]
        var erasures = erasures.sorted { $0.time < $1.time }[...]
        for claim in claims {
            while let erasure = erasures.first, erasure.time < claim.version.acceptedAt {
                derivation.apply(erasure)
                erasures.removeFirst()
            }
            let ownRank = derivation.link.flatMap { ownRanks[$0.user] } ?? .unverified
            let step = after(derivation.link, claim, activity: activity, ownRank: ownRank)
            derivation.standings.take(claim, step.outcome, from: derivation.link, to: step.link)
            derivation.link = step.link
            derivation.outcomes.append(step.outcome)
            if claim.rank < .pinned { ownRanks[claim.user] = max(claim.rank, ownRanks[claim.user] ?? .unverified) }
        }
        for erasure in erasures { derivation.apply(erasure) }
        return derivation
    }

    /// What claims and erasures have made.
    package struct Derivation: Sendable {
        package var link: Link?
        package var outcomes: [ClaimOutcome] = []
        package var standings = Standings()

        fileprivate mutating func apply(_ erasure: Erasure) {
            if link?.user == erasure.placeholder { link = nil }
            standings.forget(erasure.placeholder)
        }
    }
}
