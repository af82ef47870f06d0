import Messages
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
}
