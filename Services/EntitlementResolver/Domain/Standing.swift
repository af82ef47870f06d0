package import Messages

/// How somebody who claimed a chain stands to it, as it is told to him.
package struct Standing: Hashable, Sendable {
    package var isHeld: Bool
    /// Of the claim behind the link, his own or another's.
    package var rank: ClaimRank
    /// The time of the claim that made it so.
    package var since: Timestamp
    /// Why it is not his.
    package var reason: TimelineEntry.Reason?

    package init(isHeld: Bool, rank: ClaimRank, since: Timestamp, reason: TimelineEntry.Reason? = nil) {
        self.isHeld = isHeld
        self.rank = rank
        self.since = since
        self.reason = reason
    }
}

/// How all who claimed a chain stand to it.
///
/// Whoever is denied again for the same reason stands as before: phones repeat their claims at every launch.
package struct Standings: Sendable {
    package private(set) var byUser: [AppUserID: Standing]

    /// - Parameter byUser: of those whom the next claims may concern.
    package init(_ byUser: [AppUserID: Standing] = [:]) { self.byUser = byUser }

    /// A claim has come to its turn.
    package mutating func take(_ claim: Claim, _ outcome: ClaimOutcome, from before: Link?, to after: Link?) {
        if let before, before.user != after?.user {
            let reason: TimelineEntry.Reason = claim.rank > before.rank ? .outranked : .moved
            deny(before.user, reason, by: claim.rank, at: claim.version.acceptedAt)
        }
        if outcome.isDenial, let before {
            let reason = outcome == .outranked ? .outranked : TimelineEntry.Reason(rawValue: outcome.rawValue)
            deny(claim.user, reason, by: before.rank, at: claim.version.acceptedAt)
        }
        if let after { byUser[after.user] = Standing(isHeld: true, rank: after.rank, since: after.since) }
    }

    /// Nothing is told to him any more.
    package mutating func forget(_ user: AppUserID) { byUser[user] = nil }

    /// - Parameter rank: of the claim that has the link; an operator's word is a reason of its own.
    private mutating func deny(
        _ user: AppUserID, _ reason: TimelineEntry.Reason, by rank: ClaimRank, at time: Timestamp
    ) {
        let reason = rank == .pinned ? .pinned : reason
        if let known = byUser[user], !known.isHeld, known.reason == reason { return }
        byUser[user] = Standing(isHeld: false, rank: rank, since: time, reason: reason)
    }
}
