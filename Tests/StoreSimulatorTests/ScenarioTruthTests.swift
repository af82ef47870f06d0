import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("What is true in scenarios")
struct ScenarioTruthTests {
    @Test("It follows from what had been signed by then, at every moment of interest", arguments: Scenario.all)
    func asKnownThen(scenario: Scenario) {
        for seed in 1...3 as ClosedRange<UInt64> {
            let story = scenario.story(seed: seed)
            for moment in story.moments { compare(story, at: moment, knownAt: moment) }
        }
    }

    @Test("It follows from all that was signed, for every moment of the past", arguments: Scenario.all)
    func asKnownLater(scenario: Scenario) {
        let story = scenario.story()
        for knowledge in story.events.map(\.signedAt) {
            for moment in story.moments where moment <= knowledge { compare(story, at: moment, knownAt: knowledge) }
        }
    }

    @Test(
        "They end as they say",
        arguments: [
            ("first-purchase", "pro.monthly paid"), ("renewals", "pro.monthly paid"),
            ("cancelled", "pro.monthly ended cancelled"), ("cancelled-and-resumed", "pro.monthly paid"),
            ("resubscribed", "pro.monthly paid"), ("grace-recovered", "pro.monthly paid"),
            ("grace-over", "pro.monthly paid"), ("billing-retry-recovered", "pro.monthly paid"),
            ("billing-retry-lapsed", "pro.monthly ended not_charged"), ("price-increase-agreed", "pro.monthly paid"),
            ("price-increase-refused", "pro.monthly ended price_not_agreed"), ("extended", "pro.monthly paid"),
            ("signed-anew", "pro.monthly paid"), ("upgraded", "pro.monthly paid"), ("downgraded", "basic.monthly paid"),
            ("downgrade-withdrawn", "pro.monthly paid"), ("crossgraded-now", "pro.monthly.2 paid"),
            ("crossgraded-later", "pro.yearly paid"), ("refunded", "pro.monthly ended refunded"),
            ("refunded-in-part", "pro.monthly ended refunded"), ("old-period-refunded", "pro.monthly paid"),
            ("refund-reversed", "pro.monthly paid"), ("refund-declined", "pro.monthly paid"),
            ("refunded-then-bought", "pro.monthly paid"), ("family-shared", "pro.monthly paid, pro.monthly shared"),
            ("family-revoked", "pro.monthly paid, pro.monthly ended no_longer_shared"),
            ("trial-converted", "pro.monthly paid"), ("trial-cancelled", "pro.monthly ended cancelled"),
            ("introductory-price", "pro.monthly paid"), ("promotional-offer", "pro.monthly paid"),
            ("offer-code", "pro.monthly paid"), ("win-back", "pro.monthly paid"), ("consumables", ""),
            ("non-renewing", "season bought"),
            ("lifetime-and-subscription", "pro.monthly ended cancelled, lifetime bought"),
            ("lifetime-refunded", "lifetime ended refunded"), ("other-notifications", ""), ("app-attest", ""),
            ("appcoins-purchases", ""), ("google-purchases", ""),
        ])
    func ends(name: String, expected: String) throws {
        let story = try #require(Scenario.named(name)).story(seed: 3)

        let ending = story.holdings(at: story.end).map { holding in
            holding.productId.replacing("com.example.tunes.", with: "") + (holding.isActive ? " " : " ended ")
                + holding.reason.rawValue
        }

        #expect(ending.joined(separator: ", ") == expected)
    }

    @Test("No scenario's end is untested")
    func complete() {
        #expect(Scenario.all.count == 40)
    }

    @Test("Consumables are counted, less what was paid back")
    func consumables() throws {
        let story = try #require(Scenario.named("consumables")).story()
        let coins = "com.example.tunes.coins"

        #expect(story.consumables(at: story.end) == [coins: 8])
        #expect(story.consumables(at: story.events[0].signedAt) == [coins: 5])
        #expect(story.consumables(at: story.events[0].at - 1) == [:])
        let three = Evidence(of: story).transactions.first { $0.quantity == 3 }
        #expect(three?.revocationType == .proratedRefund && three?.revocationPercentage == 33_333)
    }

    @Test("A refund that is reversed was there in between, as far as anybody knew")
    func reversal() throws {
        let story = try #require(Scenario.named("refund-reversed")).story()
        let refunded = try #require(story.events.first { $0.name == "refunded" })
        let day = refunded.signedAt + 86_400

        #expect(story.holdings(at: day).map(\.isActive) == [false])
        #expect(story.holdings(at: day).map(\.reason) == [.refunded])
        #expect(story.holdings(at: day, knownAt: story.end).map(\.isActive) == [true])
    }

    @Test("In a grace period it is active and says why; without one it is not")
    func grace() throws {
        let grace = try #require(Scenario.named("grace-recovered")).story()
        let retry = try #require(Scenario.named("billing-retry-recovered")).story()

        for (story, isActive, reason) in [
            (grace, true, Holding.Reason.gracePeriod), (retry, false, .billingRetry),
        ] {
            let failed = try #require(story.events.first { $0.name == "not-renewed" })
            let holding = try #require(story.holdings(at: failed.signedAt + 86_400).first)
            #expect(holding.isActive == isActive)
            #expect(holding.reason == reason)
        }
    }

    /// Two ways to the truth: the deeds of the story, and what was signed about them.
    private func compare(_ story: Story, at date: Date, knownAt knowledge: Date) {
        let told = story.holdings(at: date, knownAt: knowledge).filter(\.isActive)
        let evidence = Evidence(of: story, signedBy: knowledge).active(at: date)
        let comment = "\(story.scenario), seed \(story.seed), at \(date) as known at \(knowledge)"
        #expect(told.map(\.originalTransactionId).sorted() == evidence.keys.sorted(), "\(comment)")
        for holding in told {
            let span = evidence[holding.originalTransactionId]
            #expect(holding.productId == span?.product, "\(comment)")
            #expect(holding.until ?? .distantFuture == span?.until, "\(comment)")
            #expect(holding.transactionId == span?.transaction, "\(comment)")
        }
    }
}
