import Messages
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Renewal information")
struct RenewalTests {
    /// Paid from day −10 to day 20, and known to be ann's.
    static func paid() async throws -> ResolverStore {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, day: -9)
        try await store.verify(.period(0))
        return store
    }

    @Test("In its grace period a subscription unlocks what it did; each change is told as its time comes")
    func grace() async throws {
        let store = try await Self.paid()
        try await store.foretell(.about(0, signed: -10))
        #expect(try await store.view(.ann)?.entitlements.first?.reason == .paid)

        let told = try await store.foretell(.about(0, signed: 20, grace: 36), now: .day(19.9))
        let begun = try await store.ringAlarms(now: .day(20))
        let nothing = try await store.ringAlarms(now: .day(35.9))
        let ended = try await store.ringAlarms(now: .day(36))

        #expect(told.all(EntitlementChanged.self).map(\.entitlement.until) == [.day(36)])
        #expect(begun.all(EntitlementChanged.self).map(\.entitlement.reason) == [.gracePeriod])
        #expect(nothing.isEmpty)
        #expect(ended.all(EntitlementChanged.self).map(\.entitlement.isActive) == [false])
        #expect(ended.all(EntitlementChanged.self).map(\.entitlement.reason) == [.billingRetry])
        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.isActive == true)
    }

    @Test("It may come before anything else of its chain, and before the chain is anybody's")
    func early() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.foretell(.about(0, signed: 20, grace: 36))
        try await store.verify(.period(0))

        try await store.claim(.ann, day: -9)

        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.reason == .gracePeriod)
    }

    @Test("By itself it grants nothing, and nobody is told of it")
    func alone() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, day: -9)

        let told = try await store.foretell(.about(0, signed: 20, grace: 36))

        #expect(told.isEmpty)
        #expect(try await store.view(.ann, at: .day(30))?.entitlements == [])
    }

    @Test("For an app of which no transaction of the chain is verified it says nothing, until one is, and to the last")
    func ofAnotherApp() async throws {
        let store = try await Self.paid()
        try await store.connect(.record(.radio))
        try await store.foretell(.about(0, signed: 20, grace: 36), app: .radio)
        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.isActive == false)

        // The same transaction, in an artifact that says nothing new, but is for the other app.
        let older = StoreTransaction.period(0, signed: -11)
        try await store.verify(older, app: .radio)

        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.isActive == true)
        try await store.settle(
            Letter(
                TransactionRetracted(
                    organisation: .demo, app: .radio, isTest: false, digest: ResolverStore.digest(of: older),
                    revision: 1, transactionID: older.id, originalTransactionID: older.originalID,
                    environment: .production, reason: "untrusted_chain"),
                id: "back", at: .noon, from: .validator))
        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.isActive == false)
    }

    @Test(
        "It says nothing of the same chain in another environment",
        arguments: [StoreEnvironment.sandbox, .unknown, .xcode])
    func environments(other: StoreEnvironment) async throws {
        let store = try await Self.paid()
        try await store.foretell(.about(0, signed: 20, grace: 36, environment: other))
        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.isActive == false)

        try await store.verify(.period(0, signed: -9, environment: other))

        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.isActive == false)
        let there = try await store.view(.ann, environment: other, at: .day(30))
        #expect((there?.entitlements.first?.isActive == true) == (other != .unknown))
    }

    @Test("Of a test app it waits while the two sides disagree, and says nothing of the stores' chain")
    func testApp() async throws {
        let store = try await Self.paid()
        await #expect(throws: (any Error).self) {
            try await store.foretell(.about(0, signed: 20, grace: 36), isTest: true)
        }
        try await store.connect(.record(.testTunes, isTest: true))

        try await store.foretell(.about(0, signed: 20, grace: 36), app: .testTunes, isTest: true)

        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.isActive == false)
    }

    @Test("What is taken back counts no more, even if it comes late; a later verdict brings it back")
    func retracted() async throws {
        let store = try await Self.paid()
        let grace = StoreRenewal.about(0, signed: 20, grace: 36)
        try await store.foretell(.about(0, signed: -10))
        try await store.foretell(grace)

        let told = try await store.retract(grace)

        #expect(told.all(SubscriptionChanged.self).map(\.renewals?.count) == [1])
        #expect(try await store.foretell(grace).isEmpty)
        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.isActive == false)
        try await store.foretell(grace, revision: 2)
        #expect(try await store.view(.ann, at: .day(30))?.entitlements.first?.isActive == true)
        #expect(try await store.retract(grace, revision: 1).isEmpty)

        let unseen = StoreRenewal.about(0, signed: 21, grace: 40)
        try await store.retract(unseen)
        #expect(try await store.foretell(unseen).isEmpty)
    }

    @Test("A new holder of the chain is told of it too")
    func newHolder() async throws {
        let store = try await Self.paid()
        try await store.foretell(.about(0, signed: 20, grace: 36))

        let told = try await store.claim(.ben, day: -8)

        #expect(told.all(SubscriptionChanged.self).map(\.renewals?.count) == [1])
        #expect(try await store.view(.ben, at: .day(30))?.entitlements.first?.reason == .gracePeriod)
    }

    @Test("A chain in its grace period is active: a link that moves only if it is not stays")
    func link() async throws {
        let store = try await ResolverStore.ofTunes(policy: .moveIfInactive)
        try await store.verify(.period(0))
        try await store.claim(.ann, day: -9)
        try await store.claim(.ben, day: 30)
        #expect(try await store.holders().values.map(Array.init) == [[.ben]])

        try await store.foretell(.about(0, signed: 20, grace: 36))

        #expect(try await store.holders().values.map(Array.init) == [[.ann]])
    }

    @Test("Years of it are kept, and only what decides anything is told")
    func deciding() async throws {
        let store = try await Self.paid()
        for number in 0..<12 {
            let end = 20 + 30 * Double(number)
            try await store.verify(.period(number))
            for day in [0.1, 5, 10] { try await store.foretell(.about(number, signed: end - 30 + day)) }
            guard number == 2 || number == 5 else { continue }
            for day in [0.1, 1, 2] { try await store.foretell(.about(number, signed: end + day, grace: end + 6)) }
        }

        let told = try await store.foretell(.about(12, signed: 400))

        // The newest word that gives each of the two grace periods, and the newest of all.
        #expect(
            told.all(SubscriptionChanged.self).last?.renewals?.map(\.signedAt) == [.day(82), .day(172), .day(400)])
    }

    @Test("What decides is the same in whatever order it came", arguments: UInt64(1)...20)
    func decidingInAnyOrder(seed: UInt64) {
        let decisive = [
            // Of each grace period the newest word that gives it, and the first after that which takes it back.
            StoreRenewal.about(0, signed: 21, grace: 36), .about(0, signed: 30) { $0.expirationIntent = 1 },
            .about(2, signed: 80, grace: 96),
            // The newest of all.
            .about(3, signed: 120),
        ]
        let idle = [
            // Before it was given, given before, of another period, when it was over by word already.
            StoreRenewal.about(0, signed: 10), .about(0, signed: 20, grace: 36), .about(1, signed: 25),
            .about(0, signed: 31),
            // When it was over by itself.
            .about(2, signed: 97),
        ]
        var random = SeededGenerator(seed: seed)
        let all = (decisive + idle).shuffled(using: &random).enumerated().map { number, renewal in
            RenewalEvidence(
                renewal, from: Evidence.Source(app: .tunes, digest: ArtifactDigest(rawValue: "\(number)")))
        }

        #expect(RenewalEvidence.deciding(among: all) == decisive)
    }
}
