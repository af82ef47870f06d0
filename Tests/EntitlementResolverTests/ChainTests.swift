import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Claims and evidence")
struct ChainTests {
    @Test("A verified purchase with a claim unlocks what its product is mapped to")
    func purchase() async throws {
        let store = try await ResolverStore.ofTunes()

        try await store.verify(.period(0))
        let followed = try await store.claim(.ann, day: -9)

        let view = try #require(try await store.view(.ann))
        #expect(view.entitlements.map(\.entitlement) == [.pro])
        #expect(view.entitlements.first?.isActive == true)
        #expect(view.entitlements.first?.until == .day(20))
        #expect(view.transactions.first?.latest?.product == .monthly)
        #expect(view.transactions.first?.since == .day(-9))
        #expect(view.customer.firstSeen == .day(-9))
        #expect(followed.all(EntitlementChanged.self).map(\.entitlement.isActive) == [true])
    }

    @Test("The claim may come before the evidence")
    func claimFirst() async throws {
        let store = try await ResolverStore.ofTunes()

        try await store.claim(.ann, day: -9)
        #expect(try await store.view(.ann)?.transactions.first?.latest == nil)
        try await store.verify(.period(0))

        #expect(try await store.view(.ann)?.entitlements.first?.isActive == true)
    }

    @Test(
        "A rank above unverified is believed only from edge and validator",
        arguments: [BrokerUser.somebody, .operatorTool])
    func belief(author: BrokerUser) async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))

        try await store.claim(.ben, .accountToken, day: -9, from: author)
        #expect(try await store.view(.ben)?.transactions.first?.trust == .unverified)
        #expect(try await store.view(.ben)?.entitlements == [])

        try await store.claim(.ann, .attested, day: -8, from: .edge)
        #expect(try await store.view(.ann)?.transactions.first?.trust == .attested)
        #expect(try await store.view(.ben)?.transactions == [])
    }

    @Test("A claim through an app that is not known waits in the ladder")
    func unknownApp() async throws {
        let store = try await ResolverStore()

        let fault = await #expect(throws: MessageFault.self) { try await store.claim(.ann, day: 0) }
        #expect(fault?.duration == .forNow)
        #expect(fault?.reason == "app_unknown")
    }

    @Test("A moved link tells the loser and the winner, under a higher revision")
    func move() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        let before = try await store.claim(.ann, day: -9).all(LinkChanged.self)

        let followed = try await store.claim(.ben, day: -8)

        let links = followed.all(LinkChanged.self)
        #expect(links.map(\.user) == [.ann, .ben])
        #expect(links.map(\.isHeld) == [false, true])
        #expect(Set(links.map(\.revision)).count == 1)
        #expect(links[0].revision > before[0].revision)
        #expect(followed.all(EntitlementChanged.self).map(\.entitlement.isActive) == [false, true])
        #expect(try await store.view(.ann)?.entitlements == [])
        #expect(try await store.view(.ben)?.entitlements.first?.isActive == true)
        #expect(try await store.holders() == ["demo//1000": [.ben]])
    }

    @Test("A repeat of a claim or of evidence publishes nothing")
    func repeats() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        try await store.claim(.ann, day: -9)

        #expect(try await store.claim(.ann, day: -9).isEmpty)
        #expect(try await store.verify(.period(0)).isEmpty)
        // The same claim under a new id names the user again, which moves his last-seen, and nothing else.
        #expect(try await store.claim(.ann, day: -7).map(\.kind) == [UserIdentify.kind])
        #expect(try await store.view(.ann)?.customer.lastSeen == .day(-7))
    }

    @Test("An old period that is signed anew after the renewal changes nothing for the user")
    func signedAnew() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        try await store.verify(.period(1))
        try await store.claim(.ann, day: -9)

        let followed = try await store.verify(.period(0, signed: 40))

        #expect(followed.all(EntitlementChanged.self).isEmpty)
        #expect(try await store.view(.ann)?.entitlements.first?.until == .day(50))
    }

    @Test("A refund that comes before its purchase is kept as that transaction")
    func refundFirst() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, day: -9)

        try await store.verify(.period(0, signed: -5, revoked: -5))
        try await store.verify(.period(0))

        #expect(try await store.view(.ann)?.entitlements.first?.isActive == false)
        #expect(try await store.view(.ann)?.entitlements.first?.until == .day(-5))
    }

    @Test("Earlier evidence that comes late has a claim under move_if_inactive judged again")
    func lateEvidence() async throws {
        let store = try await ResolverStore.ofTunes(policy: .moveIfInactive)
        try await store.verify(.period(0))
        try await store.claim(.ann, day: -9)
        // On day 25 the first period has lapsed, as far as is known…
        try await store.claim(.ben, day: 25)
        #expect(try await store.holders() == ["demo//1000": [.ben]])

        // …but it had been renewed.
        try await store.verify(.period(1))

        #expect(try await store.holders() == ["demo//1000": [.ann]])
        #expect(try await store.view(.ann)?.transactions.first?.since == .day(-9))
    }

    @Test("The policy that was in force when the claim was accepted decides")
    func policyOfThen() async throws {
        let store = try await ResolverStore.ofTunes(policy: .keep)
        try await store.connect(.record(policy: .move, version: 2, day: 10))
        try await store.claim(.ann, day: 1)

        try await store.claim(.ben, day: 2)
        #expect(try await store.holders() == ["demo//1000": [.ann]])
        try await store.claim(.ben, day: 11)
        #expect(try await store.holders() == ["demo//1000": [.ben]])
    }

    @Test("A test app's chain is another than the stores' of the same number")
    func realms() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.connect(.record(.testTunes, isTest: true, version: 2))
        try await store.map(.monthly, to: [.pro], app: .testTunes, id: "mapping-test")
        try await store.verify(.period(0))
        try await store.verify(.period(0), app: .testTunes, isTest: true, id: "test")

        try await store.claim(.ann, day: -9)
        try await store.claim(.ben, app: .testTunes, day: -8)

        #expect(try await store.view(.ann)?.entitlements.first?.isTest == false)
        #expect(try await store.view(.ann, app: .testTunes)?.entitlements == [])
        #expect(try await store.view(.ben, app: .testTunes)?.entitlements.first?.isTest == true)
        #expect(try await store.view(.ben)?.transactions == [])
        #expect(
            try await store.holders() == ["demo//1000": [.ann], "demo/com.example.tunes.test/1000": [.ben]])
    }

    @Test("Evidence that says test where the app is none, or the other way round, is not taken")
    func disputedRealm() async throws {
        let store = try await ResolverStore.ofTunes()

        let fault = await #expect(throws: MessageFault.self) { try await store.verify(.period(0), isTest: true) }

        #expect(fault?.reason == "realm_disputed")
    }

    @Test("Claims that changed nothing are forgotten after a month, and the last of them is kept")
    func forgets() async throws {
        let store = try await ResolverStore.ofTunes()
        for day in [0.0, 1, 2, 40] { try await store.claim(.ann, day: day) }

        let days = try await store.database.read { snapshot in
            try ClaimStore.all(to: ChainID(.demo, .stores, .first), in: snapshot).map(\.claim.version.acceptedAt)
        }

        #expect(days == [.day(0), .day(40)])
        // A message from before that comes now takes its place and changes nothing.
        #expect(try await store.claim(.ann, day: 1).all(LinkChanged.self).isEmpty)
    }

    @Test("Holdings come in pages")
    func pages() async throws {
        let store = try await ResolverStore.ofTunes()
        for number in 0..<5 {
            try await store.claim(.ann, on: OriginalTransactionID(rawValue: "\(number)"), day: 0, id: "c\(number)")
        }

        let pages = try await store.pages(of: 2)

        #expect(pages.map(\.count) == [2, 2, 1])
        #expect(Set(pages.joined().map(\.transaction)).count == 5)
    }
}

extension ResolverStore {
    /// Everything that is held, by whom.
    func holders() async throws -> [String: [AppUserID]] {
        try await Dictionary(grouping: pages(of: 1000).joined(), by: \.transaction).mapValues { $0.map(\.user) }
    }

    func pages(of size: Int) async throws -> [[HoldingsPage.Value.Holding]] {
        var pages: [[HoldingsPage.Value.Holding]] = []
        var next: Int64?
        repeat {
            let verdict = try await database.read { [next] snapshot in
                try PageHoldings(pageSize: size).answer(HoldingsPage(partition: 0, after: next), in: snapshot)
            }
            guard case .applied(let page) = verdict else { break }
            pages.append(page.holdings)
            next = page.next
        } while next != nil
        return pages
    }
}
