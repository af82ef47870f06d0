package import Messages

/// Somebody says that a chain belongs to a user.
package struct Claim: Hashable, Sendable {
    /// Its place among all claims to the chain.
    package var version: FactVersion
    /// Through which app it was made.
    package var app: AppID
    package var user: AppUserID
    package var rank: ClaimRank
    /// The app's policy when the claim was accepted: a later change of it does not rewrite the past.
    package var policy: LinkMovePolicy

    package init(version: FactVersion, app: AppID, user: AppUserID, rank: ClaimRank, policy: LinkMovePolicy) {
        self.version = version
        self.app = app
        self.user = user
        self.rank = rank
        self.policy = policy
    }
}

/// What a claim did to the link when its turn came.
package enum ClaimOutcome: String, Sendable {
    /// It was the first.
    case established
    /// Its user had the link already, on weaker grounds.
    case raised
    /// Its user had the link already.
    case repeated
    /// It took the link from another user, by rank or as the newer one.
    case moved
    /// It took the link from another user, whose subscription had lapsed.
    case movedInactive = "moved_inactive"
    /// It ranks below the claim behind the link.
    case outranked
    /// A user before log-in never takes a link from one who is known.
    case anonymous
    /// The app's policy is that links stay.
    case kept
    /// The app's policy is that links stay while the subscription runs, and it ran.
    case stillActive = "still_active"

    /// Whether it hangs on what the chain's evidence says, so that new evidence may change it.
    package var dependsOnEvidence: Bool { self == .movedInactive || self == .stillActive }
}
