package import Messages

/// Somebody says that a chain belongs to a user; or an operator does, whose word is above all others.
package struct Claim: Hashable, Sendable {
    /// An artifact that lends a claim its rank: as long as anything that it tells of the chain counts.
    package struct Grounds: Hashable, Sendable {
        package var digest: ArtifactDigest
        /// How strong the claim is with it.
        package var rank: ClaimRank
        /// How strong it is by the caller's word alone.
        package var rankWithout: ClaimRank

        package init(digest: ArtifactDigest, rank: ClaimRank, rankWithout: ClaimRank) {
            self.digest = digest
            self.rank = rank
            self.rankWithout = rankWithout
        }
    }

    /// Its place among all claims to the chain.
    package var version: FactVersion
    /// Through which app it was made.
    package var app: AppID
    package var user: AppUserID
    /// How strong it is, as things stand.
    package var rank: ClaimRank
    /// The app's policy when the claim was accepted: a later change of it does not rewrite the past.
    package var policy: LinkMovePolicy
    /// What its rank rests on; nil: on nothing that could be taken back.
    package var grounds: Grounds?

    package init(
        version: FactVersion, app: AppID, user: AppUserID, rank: ClaimRank, policy: LinkMovePolicy,
        grounds: Grounds? = nil
    ) {
        self.version = version
        self.app = app
        self.user = user
        self.rank = rank
        self.policy = policy
        self.grounds = grounds
    }
}

extension Claim {
    /// An operator gives the chain to `user`.
    package static func pin(to user: AppUserID, _ version: FactVersion, through app: AppID) -> Claim {
        Claim(version: version, app: app, user: user, rank: .pinned, policy: .move)
    }

    /// An operator lifts the pin: his word for nobody.
    package static func unpin(_ version: FactVersion, through app: AppID) -> Claim {
        Claim(version: version, app: app, user: .nobody, rank: .pinned, policy: .move)
    }

    package var isUnpin: Bool { rank == .pinned && user == .nobody }
}

extension AppUserID {
    /// No user has an empty id.
    package static let nobody = AppUserID(rawValue: "")

    /// As it may be told: an erased user is nobody.
    package var told: AppUserID { isErased ? .nobody : self }
}

/// What a claim did to the link when its turn came.
package enum ClaimOutcome: String, Sendable {
    /// It was the first.
    case established
    /// Its user had the link already, on weaker grounds.
    case raised
    /// Its user had the link already; or a pin was to be lifted where none was.
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
    /// An operator gave the chain to its user.
    case pinned
    /// An operator lifted the pin.
    case unpinned

    /// Whether it hangs on what the chain's evidence says, so that new evidence may change it.
    package var dependsOnEvidence: Bool { self == .movedInactive || self == .stillActive }

    /// Whether its user did not get the link.
    package var isDenial: Bool {
        switch self {
        case .outranked, .anonymous, .kept, .stillActive: true
        case .established, .raised, .repeated, .moved, .movedInactive, .pinned, .unpinned: false
        }
    }
}
