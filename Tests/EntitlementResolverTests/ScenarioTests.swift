import Foundation
import Messages
import StoreSimulator
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Scenarios")
struct ScenarioTests {
    static let record = AppRecord.record(ScenarioFacts.app, isTest: true)

    /// What a customer of the story may use, by what is known of his chains.
    static func states(
        of customer: String, in facts: ScenarioFacts,
        knowing subscriptions: [OriginalTransactionID: EntitlementResolver.Subscription]
    ) -> Entitlements {
        let customers = facts.customers
        let holdings = subscriptions.filter { customers[$0.key] == customer }.map { original, subscription in
            EntitlementResolver.Holding(
                chain: ChainID(.demo, record.realm, original),
                link: .init(revision: 1, isHeld: true, rank: .verified, since: .distantPast),
                subscriptions: [.init(revision: 1, rank: .verified, subscription: subscription)])
        }
        return Entitlements(of: holdings, for: record, in: .production, mapping: facts.mapping)
    }

    /// Compares what a customer may use with the story's truth.
    static func compare(
        _ states: [EntitlementState], of customer: String, with truth: [StoreSimulator.Holding], _ comment: String
    ) {
        let told = Dictionary(states.map { ($0.entitlement.rawValue, $0) }) { $1 }
        let truth = truth.filter { $0.customer == customer }
        for holding in truth {
            let state = told[holding.productId]
            let comment = "\(customer)'s \(holding.productId) \(comment)"
            #expect(state?.isActive == holding.isActive, "\(comment)")
            #expect(state?.until == holding.until.map(Timestamp.init), "\(comment)")
            #expect(state?.transaction?.rawValue == holding.transactionId, "\(comment)")
            #expect(state?.reason?.rawValue == holding.reason.rawValue, "\(comment)")
            #expect(state?.willRenew == holding.renews, "\(comment)")
            #expect(state?.renewsAs?.rawValue == holding.renewsAs, "\(comment)")
        }
        let active = Set(told.filter(\.value.isActive).keys)
        #expect(active == Set(truth.filter(\.isActive).map(\.productId)), "\(customer) \(comment)")
    }

    // Without what is signed anew receipts are often the newest, and say less.
    @Test(
        "With everything known they were at every moment as they say, with and without what makes it harder",
        arguments: Scenario.all, [false, true])
    func everythingKnown(scenario: Scenario, isHarder: Bool) throws {
        for seed in 1...2 as ClosedRange<UInt64> {
            let facts = try ScenarioFacts(scenario, seed: seed)
            var known = KnownFacts()
            for fact in facts.facts + (isHarder ? facts.disturbances : []) { known.record(fact) }
            let subscriptions = known.subscriptions

            for subscription in subscriptions.values {
                #expect(subscription.grants == PlainRules.grants(of: subscription), "\(scenario), seed \(seed)")
            }

            for customer in ["buyer", "member"] {
                let entitlements = Self.states(of: customer, in: facts, knowing: subscriptions)
                for moment in facts.story.moments {
                    Self.compare(
                        entitlements.states(at: Timestamp(moment)), of: customer,
                        with: facts.story.holdings(at: moment, knownAt: facts.story.end),
                        "of \(scenario), seed \(seed), at \(moment)")
                }
            }
        }
    }

    @Test("As time goes by they are at every moment as they say, by what is known then", arguments: Scenario.all)
    func knownThen(scenario: Scenario) throws {
        let facts = try ScenarioFacts(scenario)
        let story = facts.story
        var known = KnownFacts()
        for (index, event) in story.events.enumerated() {
            for fact in facts.facts where fact.event == index { known.record(fact) }
            let subscriptions = known.subscriptions
            let next = index + 1 < story.events.count ? story.events[index + 1].signedAt : .distantFuture
            for subscription in subscriptions.values {
                #expect(subscription.grants == PlainRules.grants(of: subscription), "\(scenario) after \(event.name)")
            }

            for customer in ["buyer", "member"] {
                let entitlements = Self.states(of: customer, in: facts, knowing: subscriptions)
                for moment in story.moments where event.signedAt <= moment && moment < next {
                    Self.compare(
                        entitlements.states(at: Timestamp(moment)), of: customer, with: story.holdings(at: moment),
                        "of \(scenario) after \(event.name), at \(moment)")
                }
            }
        }
    }

    /// The first of 500 orders that has another end, if there is one. Two halves, so that both processors have something
    /// to do.
    static func firstFailure(of goesWrong: @escaping @Sendable (UInt64) -> Bool) async -> UInt64? {
        await withTaskGroup(of: UInt64?.self) { group in
            for seeds in [UInt64(1)...250, 251...500] {
                group.addTask { seeds.first(where: goesWrong) }
            }
            var failures: [UInt64] = []
            for await failure in group { failures += [failure].compactMap(\.self) }
            return failures.min()
        }
    }

    @Test("Everything twice, with old periods signed anew, in 500 orders: the same end", arguments: Scenario.all)
    func anyOrder(scenario: Scenario) async throws {
        let facts = try ScenarioFacts(scenario)
        let all = facts.facts + facts.disturbances
        var inOrder = KnownFacts()
        for fact in all { inOrder.record(fact) }
        let expected = inOrder.subscriptions

        let failure = await Self.firstFailure { seed in
            var random = SeededGenerator(seed: seed)
            var known = KnownFacts()
            for index in (Array(all.indices) + all.indices).shuffled(using: &random) { known.record(all[index]) }
            return known.subscriptions != expected
        }

        #expect(failure == nil, "\(scenario), the seed")
    }

    @Test("As time goes by, everything may come twice, late or in any order within the hour", arguments: Scenario.all)
    func orderedByTime(scenario: Scenario) async throws {
        let facts = try ScenarioFacts(scenario)
        let all = facts.facts
        let news = facts.story.events.indices.map { event in all.indices.filter { all[$0].event == event } }
        var inOrder = KnownFacts()
        let expected = news.map { indices in
            for index in indices { inOrder.record(all[index]) }
            return inOrder.subscriptions
        }

        let failure = await Self.firstFailure { seed in
            var random = SeededGenerator(seed: seed)
            var known = KnownFacts()
            for (event, new) in news.enumerated() {
                let late = news[..<event].joined().filter { _ in Int.random(in: 0..<8, using: &random) == 0 }
                for index in (new + new + late).shuffled(using: &random) { known.record(all[index]) }
                if known.subscriptions != expected[event] { return true }
            }
            return false
        }

        #expect(failure == nil, "\(scenario), the seed")
    }
}
