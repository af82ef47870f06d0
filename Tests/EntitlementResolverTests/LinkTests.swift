import Messages
import Testing
import TestSupport

@testable import EntitlementResolver

@Suite("Links")
struct LinkTests {
    static func claim(
        _ user: AppUserID, _ rank: ClaimRank, day: Double, policy: LinkMovePolicy = .move, id: String = "m"
    ) -> Claim {
        Claim(
            version: FactVersion(.day(day), MessageID(rawValue: id)), app: .tunes, user: user, rank: rank,
            policy: policy)
    }

    @Test(
        "A second claim takes the link, or not",
        arguments: [
            (AppUserID.ann, ClaimRank.verified, AppUserID.ben, ClaimRank.verified, ClaimOutcome.moved),
            (.ann, .unverified, .ben, .unverified, .moved),
            (.ann, .verified, .ben, .attested, .outranked),
            (.ann, .accountToken, .ben, .verified, .outranked),
            (.ann, .unverified, .ben, .attested, .moved),
            (.ann, .verified, .ben, .accountToken, .moved),
            (.ann, .verified, .stranger, .verified, .anonymous),
            (.ann, .unverified, .stranger, .verified, .anonymous),
            (.stranger, .verified, .ann, .verified, .moved),
            (.stranger, .verified, .ann, .unverified, .outranked),
            (.ann, .attested, .ann, .verified, .raised),
            (.ann, .verified, .ann, .attested, .repeated),
        ])
    func second(
        holder: AppUserID, held: ClaimRank, claimer: AppUserID, claimed: ClaimRank, expected: ClaimOutcome
    ) {
        let claims = [Self.claim(holder, held, day: 1), Self.claim(claimer, claimed, day: 2)]

        let derived = Link.derived(from: claims, activity: .none)

        #expect(derived.outcomes == [.established, expected])
        let hasMoved = expected == .moved
        #expect(derived.link?.user == (hasMoved ? claimer : holder))
        #expect(derived.link?.rank == (hasMoved || expected == .raised ? claimed : held))
        #expect(derived.link?.since == .day(hasMoved ? 2 : 1))
    }

    @Test(
        "Within a rank the app's policy decides",
        arguments: [
            (LinkMovePolicy.move, 5.0, ClaimOutcome.moved), (.keep, 5, .kept), (.moveIfInactive, 5, .stillActive),
            (.moveIfInactive, 25, .movedInactive), (LinkMovePolicy(rawValue: "lottery"), 25, .kept),
        ])
    func policies(policy: LinkMovePolicy, day: Double, expected: ClaimOutcome) {
        // Paid from day -10 to day 20.
        let activity = Activity(of: [Subscription(environment: .production, transactions: [.period(0)])])
        let claims = [
            Self.claim(.ann, .verified, day: 1, policy: policy), Self.claim(.ben, .verified, day: day, policy: policy),
        ]

        let derived = Link.derived(from: claims, activity: activity)

        #expect(derived.outcomes.last == expected)
    }

    @Test("A higher rank takes the link whatever the policy")
    func rankBeatsPolicy() {
        let claims = [
            Self.claim(.ann, .attested, day: 1, policy: .keep), Self.claim(.ben, .verified, day: 2, policy: .keep),
        ]

        #expect(Link.derived(from: claims, activity: .none).link?.user == .ben)
    }

    @Test("Claims of the same millisecond are taken in the order of their ids")
    func sameMillisecond() {
        let early = FactVersion(.day(1), MessageID(rawValue: "a"))
        let late = FactVersion(.day(1), MessageID(rawValue: "b"))

        #expect(early < late)
        #expect(!(late < early))
    }
}

@Suite("Evidence")
struct EvidenceTests {
    static func evidence(_ transaction: StoreTransaction, _ digest: String) -> Evidence {
        Evidence(transaction, from: Evidence.Source(app: .tunes, digest: ArtifactDigest(rawValue: digest)))
    }

    @Test(
        "Of one transaction the newest signed date counts, a revocation wins a tie, and one of two equals always wins")
    func order() {
        let old = Self.evidence(.period(0, signed: 1), "a")
        let new = Self.evidence(.period(0, signed: 2), "b")
        let revoked = Self.evidence(.period(0, signed: 2, revoked: 2), "c")
        let other = Self.evidence(.period(0, signed: 2), "d")

        for (winner, loser) in [(new, old), (revoked, old), (revoked, new), (revoked, other), (other, new)] {
            #expect(winner.supersedes(loser))
            #expect(!loser.supersedes(winner))
        }
        #expect(!new.supersedes(new))
    }
}
