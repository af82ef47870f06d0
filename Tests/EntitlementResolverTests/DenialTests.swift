import Messages
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Denied and lost")
struct DenialTests {
    @Test(
        "Who claims a chain and does not get it is told so, and why",
        arguments: [
            (
                LinkMovePolicy.move, ClaimRank.verified, AppUserID.ben, ClaimRank.attested,
                TimelineEntry.Reason.outranked
            ),
            (.keep, .verified, .ben, .verified, .kept), (.moveIfInactive, .verified, .ben, .verified, .stillActive),
            (.move, .unverified, .stranger, .verified, .anonymous),
        ])
    func denied(
        policy: LinkMovePolicy, held: ClaimRank, user: AppUserID, claimed: ClaimRank, reason: TimelineEntry.Reason
    ) async throws {
        let store = try await ResolverStore.ofTunes(policy: policy)
        try await store.verify(.period(0))
        try await store.claim(.ann, held, day: -9)

        let told = try await store.claim(user, claimed, day: -8).all(LinkChanged.self)

        #expect(told.map(\.user) == [user])
        #expect(told.map(\.isHeld) == [false])
        #expect(told.map(\.reason) == [reason])
        #expect(told.map(\.since) == [.day(-8)])
        #expect(told.map(\.claimedAt) == [.day(-8)])
        #expect(try await store.holders() == ["demo//1000": [.ann]])
        #expect(try await store.view(user)?.transactions == [])
    }

    @Test("He is told once, however often he claims it, until the reason is another one")
    func once() async throws {
        let store = try await ResolverStore.ofTunes(policy: .keep)
        try await store.claim(.ann, .verified, day: -9)
        try await store.claim(.ben, .attested, day: -8)

        let again = try await store.claim(.ben, .attested, day: -7)
        let doubled = try await store.claim(.ben, .attested, day: -8)
        let stronger = try await store.claim(.ben, .verified, day: -6)

        #expect(again.all(LinkChanged.self).isEmpty)
        #expect(doubled.isEmpty)
        #expect(stronger.all(LinkChanged.self).map(\.reason) == [.kept])
    }

    @Test(
        "Who loses a chain is told why",
        arguments: [
            (ClaimRank.attested, ClaimRank.attested, TimelineEntry.Reason.moved), (.attested, .verified, .outranked),
        ])
    func lost(held: ClaimRank, claimed: ClaimRank, reason: TimelineEntry.Reason) async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, held, day: -9)

        let told = try await store.claim(.ben, claimed, day: -8).all(LinkChanged.self)

        #expect(told.map(\.user) == [.ann, .ben])
        #expect(told.map(\.reason) == [reason, nil])
    }

    @Test("An older claim that comes late makes a holder one who was denied, and is told to all whom it concerns")
    func late() async throws {
        let store = try await ResolverStore.ofTunes(policy: .keep)
        try await store.claim(.ben, day: -8)

        let told = try await store.claim(.ann, day: -9).all(LinkChanged.self)

        #expect(told.map(\.user) == [.ben, .ann])
        #expect(told.map(\.reason) == [.kept, nil])
        #expect(try await store.holders() == ["demo//1000": [.ann]])
    }
}

@Suite("Grounds of claims")
struct GroundsTests {
    static let artifact = StoreTransaction.period(0)

    static func claim(of user: AppUserID, without: ClaimRank? = nil, day: Double) throws -> Letter {
        try Letter(
            LinkClaim(
                organisation: .demo, app: .tunes, originalTransactionID: .first, user: user, rank: .verified,
                digest: ResolverStore.digest(of: artifact), rankWithout: without),
            id: "rests-\(user)-\(day)", at: .day(day), from: .validator)
    }

    static func retraction(revision: Int = 1) throws -> Letter {
        try Letter(
            TransactionRetracted(
                organisation: .demo, app: .tunes, isTest: false, digest: ResolverStore.digest(of: artifact),
                revision: revision, transactionID: artifact.id, originalTransactionID: .first,
                environment: .production, reason: "untrusted_chain"),
            id: "retracted-\(revision)", at: .noon, from: .validator)
    }

    @Test("A claim falls to its caller's own rank when the artifact that it rests on is taken back, and rises again")
    func fall() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(Self.artifact)
        try await store.settle(Self.claim(of: .ann, without: .attested, day: -9))
        try await store.claim(.ben, .attested, day: -8)
        #expect(try await store.holders() == ["demo//1000": [.ann]])

        // Another artifact tells the same: the chain amounts to what it did, and yet the claim has lost its grounds.
        try await store.verify(.period(0, signed: 5))
        try await store.settle(Self.retraction())

        #expect(try await store.holders() == ["demo//1000": [.ben]])
        #expect(try await store.view(.ben)?.entitlements.first?.isActive == true)
        let claim = try #require(try await store.history()?.claims.first)
        #expect(claim.rank == .attested)
        #expect(claim.rankBefore == .verified)

        try await store.verify(Self.artifact, revision: 2, id: "again")

        #expect(try await store.holders() == ["demo//1000": [.ann]])
    }

    @Test("It does not matter whether the claim, the evidence or its retraction comes first", arguments: 0..<6)
    func order(number: Int) async throws {
        let store = try await ResolverStore.ofTunes()
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        let verified = try Letter(
            TransactionVerified(
                organisation: .demo, app: .tunes, isTest: false, digest: ResolverStore.digest(of: Self.artifact),
                transaction: Self.artifact, revision: nil), id: "v", at: .noon, from: .validator)
        let letters = [try Self.claim(of: .ann, day: -9), verified, try Self.retraction()]
        try await store.claim(.ben, .attested, day: -8)

        for index in orders[number] { try await store.settle(letters[index]) }

        #expect(try await store.holders() == ["demo//1000": [.ben]])
    }

    @Test("Only the validator may say what a claim rests on")
    func belief() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.settle(Self.retraction())
        var letter = try Self.claim(of: .ann, day: -9)
        letter.author = .edge

        try await store.settle(letter)

        #expect(try await store.history()?.claims.first?.digest == nil)
        #expect(try await store.history()?.link?.rank == .verified)
    }
}
