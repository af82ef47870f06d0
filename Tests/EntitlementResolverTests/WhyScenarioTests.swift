import Lane
import Messages
import Messaging
import SQLite
import StoreSimulator
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Why in scenarios")
struct WhyScenarioTests {
    static let names = [
        "renewals", "grace-recovered", "billing-retry-lapsed", "upgraded", "refunded", "refund-reversed",
        "old-period-refunded", "family-revoked", "resubscribed", "consumables", "lifetime-and-subscription",
        "signed-anew",
    ]

    /// The facts come as they were signed, late by up to three days and in any order within that; in between `user.get` is
    /// asked, and in the end the same must follow from what is kept of the past.
    @Test("What was answered at any moment of a story is what was known then", arguments: names)
    func asItWas(name: String) async throws {
        let facts = try ScenarioFacts(try #require(Scenario.named(name)))
        let store = try await ResolverStore()
        let record = AppRecord.record(ScenarioFacts.app, isTest: true, day: -10_000)
        try await store.connect(record, now: record.changedAt)
        for (product, entitlements) in facts.mapping {
            let mapping = ProductMapping(
                organisation: .demo, app: ScenarioFacts.app, product: product, entitlements: entitlements, version: 1,
                changedAt: record.changedAt)
            try await store.settle(
                Letter(MappingChanged(mapping: mapping), id: "\(product)", at: record.changedAt, from: .resolver),
                now: record.changedAt)
        }
        var random = SeededGenerator(seed: 7)
        var letters: [(now: Timestamp, letter: Letter)] = []
        for (index, fact) in (facts.facts + facts.disturbances).enumerated() {
            let last = facts.story.events.count - 1
            let signed = Timestamp(facts.story.events[min(fact.event, last)].signedAt)
            let late = Duration.milliseconds(Int.random(in: 0..<259_200_000, using: &random))
            letters.append((signed + late, try Letter(fact, id: "fact-\(index)", at: signed)))
        }
        for (original, customer) in facts.customers {
            let claim = LinkClaim(
                organisation: .demo, app: ScenarioFacts.app, originalTransactionID: original,
                user: AppUserID(rawValue: customer), rank: .verified)
            let now = Timestamp(facts.story.events[0].signedAt) + .seconds(60)
            letters.append((now, try Letter(claim, id: "claim-\(original)", at: now, from: .validator)))
        }

        struct Answered {
            var time: Timestamp
            var user: AppUserID
            var states: [EntitlementState]
        }
        var answers: [Answered] = []
        for (now, letter) in letters.sorted(by: { ($0.now, $0.letter.id) < ($1.now, $1.letter.id) }) {
            try await store.settle(letter, now: now)
            for user in ["buyer", "member"].map(AppUserID.init) {
                for time in [now, now + .seconds(1)] {
                    let view = try await store.view(user, app: ScenarioFacts.app, at: time)
                    answers.append(Answered(time: time, user: user, states: view?.entitlements ?? []))
                }
            }
        }
        let end = Timestamp(facts.story.end) + .seconds(40 * 86_400)
        let entitlements = Set(answers.flatMap(\.states).map(\.entitlement))
        for answer in answers.shuffled(using: &random).prefix(60) {
            for entitlement in entitlements {
                let why = try await store.why(
                    answer.user, entitlement, app: ScenarioFacts.app, at: answer.time, knownAt: answer.time, now: end)
                let expected = answer.states.first { $0.entitlement == entitlement }
                // Nobody has named the member before he shares anything.
                guard let why else {
                    #expect(expected == nil)
                    continue
                }
                #expect(why.state.isActive == expected?.isActive ?? false)
                if let expected { #expect(why.state == expected, "\(answer.user) at \(answer.time.rfc3339)") }
                // What the story's effects add up to is what was answered.
                var isActive = false
                for entry in why.timeline {
                    if entry.effect == .began || entry.effect == .extended { isActive = true }
                    if entry.effect == .ended { isActive = false }
                }
                #expect(isActive == why.state.isActive, "\(answer.user) at \(answer.time.rfc3339)")
            }
        }
    }
}
