import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

extension ResolverStore {
    func why(
        _ user: AppUserID = .ann, _ entitlement: EntitlementID = .pro, app: AppID = .tunes,
        organisation: OrganisationID = .demo, environment: StoreEnvironment? = nil, at: Timestamp? = nil,
        knownAt: Timestamp? = nil, now: Timestamp = .noon, mostNews: Int = 500
    ) async throws -> UserWhyView? {
        let verdict = try await database.read { snapshot in
            try ExplainEntitlement(mostNews: mostNews, now: { now }).answer(
                UserWhy(
                    organisation: organisation, app: app, user: user, entitlement: entitlement,
                    environment: environment, at: at, knownAt: knownAt),
                in: snapshot)
        }
        guard case .applied(let view) = verdict else { return nil }
        return view
    }

    /// Claims at `day`, which is also when it becomes known.
    func claim(_ user: AppUserID, _ rank: ClaimRank = .verified, knownOn day: Double) async throws {
        try await settle(
            Letter(
                LinkClaim(
                    organisation: .demo, app: .tunes, originalTransactionID: .first, user: user, rank: rank),
                id: "claim-\(user)-\(day)", at: .day(day), from: .validator), now: .day(day))
    }
}

extension TimelineEntry {
    /// `transaction_told 1000-0 began`
    var text: String {
        let subject = [transaction?.rawValue, product?.rawValue].compactMap(\.self).first ?? ""
        return [what.rawValue, subject, effect?.rawValue ?? "", reason?.rawValue ?? ""]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension UserWhyView {
    var story: [String] { timeline.map(\.text) }
}

@Suite("Why")
struct WhyTests {
    @Test("A life is told as it was learned: bought, renewed, lapsed, bought again")
    func life() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.claim(.ann, knownOn: -10)
        try await store.verify(.period(0), now: .day(-9.9))
        try await store.verify(.period(1), now: .day(20.5))
        try await store.verify(.period(3), now: .day(80.2))

        let why = try #require(try await store.why(now: .day(81)))

        #expect(
            why.story == [
                "link_won none no_evidence", "transaction_told 1000-0 began", "period_ended 1000-0 ended",
                "transaction_told 1000-1 began", "period_ended 1000-1 ended", "transaction_told 1000-3 began",
            ])
        #expect(why.timeline.map(\.knownAt) == [-10, -9.9, 20, 20.5, 50, 80.2].map(Timestamp.day))
        #expect(why.timeline.map(\.until) == [nil, .day(20), nil, .day(50), nil, .day(110)])
        #expect(why.state.isActive && why.state.until == .day(110))
        #expect(why.chains.map(\.originalTransactionID) == [.first] && !why.isTruncated)
    }

    @Test("A renewal that is known in time extends what runs")
    func extended() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.claim(.ann, knownOn: -10)
        try await store.verify(.period(0), now: .day(-9))
        try await store.verify(.period(1), now: .day(19))

        let why = try #require(try await store.why(now: .day(25)))

        #expect(why.story.suffix(2) == ["transaction_told 1000-0 began", "transaction_told 1000-1 extended"])
        #expect(try await store.why(at: .day(49), now: .day(25))?.state.isActive == true)
        #expect(try await store.why(at: .day(51), now: .day(25))?.state.until == .day(50))
    }

    @Test("A refund that comes late: active by what was known then, revoked by what is known now")
    func lateRefund() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.claim(.ann, knownOn: -10)
        try await store.verify(.period(0), now: .day(-9))
        try await store.verify(.period(0, signed: 7, revoked: 3), now: .day(8))

        let then = try #require(try await store.why(at: .day(5), knownAt: .day(5), now: .day(9)))
        let now = try #require(try await store.why(at: .day(5), now: .day(9)))

        #expect(then.state.isActive && then.state.until == .day(20))
        #expect(then.story.last == "transaction_told 1000-0 began")
        #expect(!now.state.isActive && now.state.until == .day(3))
        #expect(now.story.last == "transaction_told 1000-0 ended")
        #expect(now.timeline.last?.revokedAt == .day(3) && now.timeline.last?.at == .day(3))
        #expect(try await store.why(at: .day(2), now: .day(9))?.state.isActive == true)
    }

    @Test("An entitlement that nothing ever unlocked is told from one that he never had")
    func unlockable() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.claim(.ann, knownOn: -10)

        #expect(try await store.why()?.isUnlockable == true)
        #expect(try await store.why(.ann, EntitlementID(rawValue: "prp"))?.isUnlockable == false)
        // Nor had it become known that anything does.
        #expect(try await store.why(knownAt: .day(-51))?.isUnlockable == false)

        try await store.verify(.period(0), now: .day(-9))
        #expect(try await store.why()?.isUnlockable == nil)
    }

    @Test("A link that moves away and comes back is won, lost and won")
    func away() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.verify(.period(0), now: .day(-10))
        for (user, day) in [(AppUserID.ann, -9.0), (.ben, -5), (.ann, -1)] {
            try await store.claim(user, knownOn: day)
        }

        let why = try #require(try await store.why())
        #expect(
            why.story == [
                "link_won none no_evidence", "transaction_told 1000-0 began", "link_lost ended moved", "link_won began",
            ])
        for (day, ann, ben) in [(-9.5, false, false), (-7, true, false), (-3, false, true), (0, true, false)] {
            let time = Timestamp.day(day)
            #expect(try await store.why(at: time, knownAt: time)?.state.isActive == ann)
            #expect(try await store.why(.ben, at: time, knownAt: time)?.state.isActive == ben)
        }
    }

    @Test("A mapping that is changed later explains the past by the mapping of the past")
    func mapping() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.claim(.ann, knownOn: -10)
        try await store.verify(.period(0), now: .day(-9))
        try await store.settle(
            Letter(
                MappingSet(organisation: .demo, app: .tunes, product: .monthly, entitlements: []), id: "out",
                at: .day(4), from: .operatorTool), now: .day(4))

        #expect(try await store.why(at: .day(3), now: .day(5))?.state.isActive == true)
        let now = try #require(try await store.why(now: .day(5)))
        #expect(!now.state.isActive)
        #expect(now.story.last == "mapping_changed pro.monthly ended")
        #expect(now.timeline.last?.entitlements == [])
        // What did not matter to him is no part of his story.
        try await store.map(.coins, to: [], id: "coins", day: 5)
        #expect(try await store.why(now: .day(6))?.story == now.story)
    }

    @Test(
        "What was ignored is told with the reason",
        arguments: [
            (StoreTransaction.period(0, environment: .sandbox), "other_environment"),
            (.once(.coins, .consumable), "consumable"),
            (.once(ProductID(rawValue: "other"), .nonConsumable), "product_not_mapped"),
            (.once(.lifetime, .nonConsumable, revoked: -10), "no_period"),
            (.once(.monthly, .autoRenewable), "no_period"),
        ])
    func ignored(transaction: StoreTransaction, reason: String) async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.claim(.ann, knownOn: -10)
        try await store.verify(transaction)

        let why = try #require(try await store.why())

        #expect(!why.state.isActive)
        #expect(why.timeline.last?.effect == TimelineEntry.Effect.none)
        #expect(why.timeline.last?.reason?.rawValue == reason)
    }

    @Test("A link that nobody has verified grants nothing, and begins to when the app says so or it is verified")
    func unverified() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.verify(.period(0), now: .day(-9))
        try await store.claim(.ann, .unverified, knownOn: -8)
        #expect(try await store.why()?.story.last == "transaction_told 1000-0 none link_unverified")

        try await store.settle(
            Letter(
                AppChanged(record: .record(unverifiedLinksGrant: true, version: 2, day: -3)), id: "lenient",
                at: .day(-3), from: .edge), now: .day(-3))
        #expect(try await store.why()?.story.last == "app_changed began")
        #expect(try await store.why(at: .day(-4))?.state.isActive == false)
        #expect(try await store.why()?.state.trust == .unverified)

        try await store.claim(.ann, .verified, knownOn: -2)
        #expect(try await store.why()?.story.last == "link_won none already_covered")
        #expect(try await store.why()?.state.trust == .verified)
    }

    @Test("What is taken back is told as withdrawn")
    func withdrawn() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.claim(.ann, knownOn: -10)
        try await store.verify(.period(0), now: .day(-9))
        try await store.settle(
            Letter(
                TransactionRetracted(
                    organisation: .demo, app: .tunes, isTest: false, digest: ResolverStore.digest(of: .period(0)),
                    revision: 1, transactionID: StoreTransaction.period(0).id, originalTransactionID: .first,
                    environment: .production, reason: "untrusted_chain"),
                id: "retracted", at: .day(1), from: .validator), now: .day(1))

        #expect(try await store.why(now: .day(2))?.story.last == "transaction_withdrawn 1000-0 ended")
        #expect(try await store.why(at: .day(0), knownAt: .day(0))?.state.isActive == true)
        #expect(try await store.why(at: .day(0), now: .day(2))?.state.isActive == false)
    }

    @Test("News that newer ones have overtaken are told, and change nothing")
    func overtaken() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        func link(_ revision: Int, isHeld: Bool, day: Double) throws -> Letter {
            try Letter(
                LinkChanged(
                    organisation: .demo, realm: .stores, originalTransactionID: .first, user: .ann, isHeld: isHeld,
                    rank: .verified, revision: revision, since: .day(day)),
                id: "link-\(revision)-\(day)", at: .day(day), from: .resolver)
        }
        try await store.settle(link(3, isHeld: true, day: -3), now: .day(-2))
        try await store.settle(link(2, isHeld: false, day: -4), now: .day(-1))
        try await store.settle(link(2, isHeld: false, day: -4), now: .day(-0.5))

        #expect(
            try await store.why()?.story == ["link_won none no_evidence", "link_lost none overtaken"])
    }

    @Test("Before anything is known the answer is clear, and whoever nobody has named is unknown")
    func nothing() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        #expect(try await store.why() == nil)
        try await store.claim(.ann, knownOn: -10)
        try await store.verify(.period(0), now: .day(-9))

        let why = try #require(try await store.why(at: .day(-5), knownAt: .day(-20)))

        #expect(!why.state.isActive && why.state.transaction == nil && why.timeline.isEmpty && why.chains.isEmpty)
        #expect(why.knownSince == .day(-10) && why.knownAt == .day(-20))
        #expect(try await store.why(.ann, EntitlementID(rawValue: "other"))?.state.isActive == false)
    }

    @Test("A long history is cut where it began, and what is left is told as it was")
    func truncated() async throws {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.claim(.ann, knownOn: -10)
        for number in 0..<12 { try await store.verify(.period(number), now: .day(30 * Double(number) - 9)) }
        let whole = try #require(try await store.why(now: .day(400)))
        #expect(!whole.isTruncated && whole.timeline.count > 20)

        for most in [1, 5, 10, 24] {
            let part = try #require(try await store.why(now: .day(400), mostNews: most))

            #expect(part.isTruncated)
            #expect(part.state == whole.state)
            #expect(Array(whole.timeline.suffix(part.timeline.count)) == part.timeline)
        }
    }

    /// At each step of a play, whatever its order, notes what `user.get` says of everybody; in the end the same must
    /// follow from what is kept of the past.
    @Test("What was answered at any step of the past is what was known then", arguments: UInt64(1)...4)
    func asItWas(seed: UInt64) async throws {
        let store = try await ResolverStore()
        var random = SeededGenerator(seed: seed)
        var bag = try OrderTests.script(for: .demo)
        bag += bag
        var answers: [(time: Timestamp, user: AppUserID, environment: StoreEnvironment, state: EntitlementState?)] = []
        // As fast as the play's own time passes, so that periods run out on the way.
        var step = 0
        while !bag.isEmpty {
            let letter = bag.remove(at: Int.random(in: bag.indices, using: &random))
            step += 1
            let now = Timestamp.day(-20 + Double(step) / 2)
            do {
                bag += try await store.database.write { transaction in
                    try ResolverStore.apply(letter, now: now, in: transaction).followers
                }
            } catch let fault as MessageFault where fault.duration == .forNow {
                bag.append(letter)
                continue
            }
            for user in OrderTests.users {
                for environment in [StoreEnvironment.production, .sandbox] {
                    guard let view = try await store.view(user, environment: environment, at: now) else { continue }
                    answers.append((now, user, environment, view.entitlements.first { $0.entitlement == .pro }))
                }
            }
        }
        #expect(answers.contains { $0.state?.isActive == true } && answers.contains { $0.state?.isActive == false })
        let end = Timestamp.day(-20 + Double(step + 1) / 2)
        for answer in answers.shuffled(using: &random).prefix(150) {
            let why = try await store.why(
                answer.user, environment: answer.environment, at: answer.time, knownAt: answer.time, now: end)
            let expected =
                answer.state
                ?? EntitlementState(
                    entitlement: .pro, environment: answer.environment, isActive: false, trust: .unverified,
                    isTest: false)
            #expect(why?.state == expected, "\(answer.user) at \(answer.time.rfc3339)")
        }
        // The story agrees with the states: what its effects add up to is what was answered.
        for user in OrderTests.users {
            let timeline = try await store.why(user, now: end)?.timeline ?? []
            for answer in answers where answer.user == user && answer.environment == .production {
                var isActive = false
                for entry in timeline where entry.knownAt <= answer.time {
                    if entry.effect == .began || entry.effect == .extended { isActive = true }
                    if entry.effect == .ended { isActive = false }
                }
                #expect(isActive == (answer.state?.isActive ?? false), "\(user) at \(answer.time.rfc3339)")
            }
        }
    }
}
