import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Why, of very much")
struct WhyOfMuchTests {
    @Test("Thousands of other purchases do not change the story of one")
    func much() throws {
        let chain = { (number: Int) in ChainID(.demo, .stores, OriginalTransactionID(rawValue: "\(number)")) }
        func news(of number: Int, _ transaction: StoreTransaction, at time: Timestamp) -> [News] {
            let link = Holding.LinkNews(revision: 1, isHeld: true, rank: .verified, since: time)
            return [
                News(.link(link, reason: nil, isOvertaken: false), of: chain(number), knownAt: time),
                News(.subscription(.production, revision: 2, rank: .verified), of: chain(number), knownAt: time),
                News(.transaction(.production, transaction.id, transaction), of: chain(number), knownAt: time),
            ]
        }
        var knowledge = Knowledge(
            of: .pro, in: .production, app: .record(),
            holdings: (1...20_000).map { number in
                var holding = Holding(chain: chain(number))
                for piece in news(of: number, .once(.coins, .consumable), at: .day(-10)) { holding.learn(piece.told) }
                return holding
            })
        let mapping = ProductMapping(
            organisation: .demo, app: .tunes, product: .monthly, entitlements: [.pro], version: 1, changedAt: .day(-50))
        knowledge.learn(News(.mapping(mapping), of: nil, knownAt: .day(-50)))
        let coins = (20_001...20_160).flatMap { news(of: $0, .once(.coins, .consumable), at: .day(1)) }
        let story = news(of: 0, .period(0), at: .day(2)) + news(of: 0, .period(1), at: .day(3))

        let entries = Explanation.entries(
            for: .ann, of: coins + story, after: knowledge, from: .day(-9), until: .day(60))

        let effects = entries.filter { $0.effect != TimelineEntry.Effect.none }
        #expect(effects.map(\.effect) == [.began, .extended, .ended])
        #expect(entries.filter { $0.reason == .productNotMapped }.count == 160)
    }

    /// Of what there is much.
    enum Shape: String, CaseIterable, Sendable {
        case renewals, chains
    }

    /// A store in which ann was told so many things, one after the other.
    private static func store(of shape: Shape, _ count: Int) async throws -> ResolverStore {
        let store = try await ResolverStore.ofTunes(now: .day(-50))
        try await store.database.write { transaction in
            let customer = Customer(.demo, .ann)
            try CustomerStore.create(customer, at: .day(-40), in: transaction)
            for number in 0..<count {
                let original = shape == .chains ? OriginalTransactionID(rawValue: "\(number)") : .first
                let chain = ChainID(.demo, .stores, original)
                let now = Timestamp.day(-9.5 + (shape == .chains ? 0.1 : 30) * Double(number))
                if number == 0 || shape == .chains {
                    let link = EntitlementResolver.Holding.LinkNews(
                        revision: 1, isHeld: true, rank: .verified, since: now)
                    try HoldingHistoryStore.note(
                        link, reason: nil, isOvertaken: false, of: chain, by: customer, at: now, in: transaction)
                }
                // As if it were all that there is: what was told before is not looked at.
                let news = EntitlementResolver.Holding.SubscriptionNews(
                    revision: number + 2, rank: .verified,
                    subscription: EntitlementResolver.Subscription(
                        environment: .production,
                        transactions: [.period(shape == .chains ? 0 : number, of: original)]))
                try HoldingHistoryStore.note(
                    news, after: nil, of: chain, by: customer, at: now, in: transaction)
            }
        }
        return store
    }

    @Test("Of a thousand renewals, or chains, the last pieces are told with what each did", arguments: Shape.allCases)
    func thousand(shape: Shape) async throws {
        let store = try await Self.store(of: shape, 1_080)

        let why = try #require(try await store.why(now: .day(30 * 1_080 + 100)))

        #expect(why.isTruncated && why.state.transaction != nil)
        // Each renewal extends; in the end it is over.
        #expect(shape == .chains || why.timeline.count { $0.effect == .began || $0.effect == .extended } >= 200)
    }
}
