import Messages
import Testing

@testable import EntitlementResolver

@Suite("Entitlements")
struct EntitlementsTests {
    static func holding(
        _ transactions: [StoreTransaction], rank: ClaimRank = .verified, realm: Realm = .stores
    ) -> Holding {
        Holding(
            chain: ChainID(.demo, realm, .first),
            link: .init(revision: 1, isHeld: true, rank: rank, since: .day(-9)),
            subscriptions: Dictionary(grouping: transactions, by: \.environment).map {
                .init(
                    revision: 1, rank: rank,
                    subscription: Subscription(environment: $0.key, transactions: $0.value))
            })
    }

    static func state(
        _ holdings: [Holding], app: AppRecord = .record(), in environment: StoreEnvironment = .production,
        on day: Double
    ) -> EntitlementState? {
        Entitlements(
            of: holdings, for: app, in: environment,
            mapping: [.monthly: [.pro], .lifetime: [.pro], .coins: [.pro]]
        ).states(at: .day(day)).first
    }

    @Test(
        "What a purchase unlocks, and until when",
        arguments: [
            (StoreTransaction.period(0), 20.0 as Double?, 19.9, true as Bool?),
            (.period(0), 20, 20, false), (.period(0), nil, -11, nil),
            (.period(0, revoked: 5), 5, 4.9, true), (.period(0, revoked: 5), 5, 5, false),
            (.once(.lifetime, .nonConsumable), nil, 10_000, true),
            (.once(.lifetime, .nonConsumable, expires: 3), nil, 10_000, true),
            (.once(.lifetime, .nonConsumable, revoked: 3), 3, 4, false),
            (.once(.lifetime, .nonRenewing), nil, 10_000, true),
            (.once(.lifetime, .nonRenewing, expires: 3), 3, 4, false),
            (.once(.lifetime, nil), nil, 10_000, true),
            (.once(.coins, .consumable), nil, 0, nil),
            (.once(.monthly, .autoRenewable), nil, 0, nil),
        ])
    func purchases(transaction: StoreTransaction, until: Double?, day: Double, isActive: Bool?) {
        let state = Self.state([Self.holding([transaction])], on: day)

        #expect(state?.isActive == isActive)
        #expect(state?.until == until.map(Timestamp.day))
    }

    @Test("Renewals without a gap are one period, decided by the last of them")
    func renewals() {
        let state = Self.state([Self.holding([.period(1), .period(0), .period(3)])], on: 30)

        #expect(state?.isActive == true)
        #expect(state?.since == .day(-10))
        #expect(state?.until == .day(50))
        #expect(state?.transaction == TransactionID(rawValue: "1000-1"))
    }

    @Test("A transaction that an upgrade has replaced grants nothing")
    func upgraded() {
        var transaction = StoreTransaction.period(0)
        transaction.isUpgraded = true

        #expect(Self.state([Self.holding([transaction])], on: 0) == nil)
    }

    @Test(
        "Sandbox never grants in production, and the unknown environment grants nowhere",
        arguments: [
            (StoreEnvironment.production, StoreEnvironment.production, true), (.sandbox, .production, false),
            (.sandbox, .sandbox, true), (.unknown, .unknown, false), (.unknown, .production, false),
            (.xcode, .sandbox, false), (StoreEnvironment(rawValue: "moon"), .production, false),
        ])
    func environments(happened: StoreEnvironment, asked: StoreEnvironment, grants: Bool) {
        let holding = Self.holding([.period(0, environment: happened)])

        #expect((Self.state([holding], in: asked, on: 0)?.isActive == true) == grants)
    }

    @Test("A test app's evidence grants in that app alone, marked as a test, and that app takes no other")
    func realms() {
        let test = AppRecord.record(.testTunes, isTest: true)
        let ofTest = Self.holding([.period(0)], realm: test.realm)
        let ofStores = Self.holding([.period(0)])

        #expect(Self.state([ofTest], app: test, on: 0)?.isTest == true)
        #expect(Self.state([ofTest], on: 0) == nil)
        #expect(Self.state([ofStores], app: test, on: 0) == nil)
        #expect(Self.state([ofStores], on: 0)?.isTest == false)
    }

    @Test("An unverified link grants only where the app says so, an attested one everywhere")
    func unverified() {
        let unverified = Self.holding([.period(0)], rank: .unverified)
        let lenient = AppRecord.record(unverifiedLinksGrant: true)

        #expect(Self.state([unverified], on: 0) == nil)
        #expect(Self.state([unverified], app: lenient, on: 0)?.trust == .unverified)
        #expect(Self.state([Self.holding([.period(0)], rank: .attested)], on: 0)?.trust == .attested)
    }

    @Test("The next change is the next end or beginning")
    func nextChange() {
        let entitlements = Entitlements(
            of: [Self.holding([.period(0), .period(2)])], for: .record(), in: .production,
            mapping: [.monthly: [.pro]])

        #expect(entitlements.nextChange(after: .day(0)) == .day(20))
        #expect(entitlements.nextChange(after: .day(20)) == .day(50))
        #expect(entitlements.nextChange(after: .day(80)) == nil)
    }
}

@Suite("Holdings")
struct HoldingTests {
    static func subscription(_ revision: Int) -> Holding.SubscriptionNews {
        .init(
            revision: revision, rank: .verified,
            subscription: Subscription(environment: .production, transactions: [.period(0)]))
    }

    @Test("A subscription that is newer than the last news of the link says that the chain is held")
    func implied() {
        let chain = ChainID(.demo, .stores, .first)
        let lost = Holding.LinkNews(revision: 5, isHeld: false, rank: .verified, since: .day(1))

        #expect(Holding(chain: chain, link: lost, subscriptions: [Self.subscription(4)]).isHeld == false)
        #expect(Holding(chain: chain, link: lost, subscriptions: [Self.subscription(6)]).isHeld)
        #expect(Holding(chain: chain, subscriptions: [Self.subscription(1)]).since == .day(-10))
        #expect(Holding(chain: chain).isHeld == false)
    }
}
