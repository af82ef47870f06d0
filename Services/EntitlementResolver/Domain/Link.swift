package import Messages

/// Whose a chain is, and on what grounds.
///
/// A link is a function of the set of claims, taken in the order of their versions, and of the chain's evidence: it
/// does not depend on the order in which either arrived.
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
    /// What `claim`, newer than all that made `link`, makes of it.
    ///
    /// - Parameter activity: when the chain was paid for; decides only under `move_if_inactive`.
    package static func after(_ link: Link?, _ claim: Claim, activity: Activity) -> (link: Link, outcome: ClaimOutcome)
    {
        let claimed = Link(user: claim.user, rank: claim.rank, since: claim.version.acceptedAt)
        guard let link else { return (claimed, .established) }
        if claim.user == link.user {
            return claim.rank > link.rank
                ? (Link(user: link.user, rank: claim.rank, since: link.since), .raised) : (link, .repeated)
        }
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

    /// What all `claims` make, in the order of their versions, and what each of them did.
    package static func derived(from claims: [Claim], activity: Activity) -> (link: Link?, outcomes: [ClaimOutcome]) {
        var link: Link?
        let outcomes = claims.map { claim in
            let step = after(link, claim, activity: activity)
            link = step.link
            return step.outcome
        }
        return (link, outcomes)
    }
}
