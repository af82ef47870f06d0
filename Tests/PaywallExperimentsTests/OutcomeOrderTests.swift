import Messages
import TestSupport
import Testing

@testable import PaywallExperiments

/// Whatever happened, and in whatever order it comes, doubled and late: the partitions count what the facts say.
@Suite("Outcomes in any order")
struct OutcomeOrderTests {
    static let window = OutcomeFacts.day * 7

    @Test("One partition and four count what the whole set of facts says, whatever comes when", arguments: [1, 4])
    func order(partitions: Int) async throws {
        let stores = try await OutcomePartitions(partitions)
        var (credited, moved) = (0, 0)
        for seed in UInt64(1)...40 {
            let facts = OutcomeFacts(seed: seed)
            var random = SeededGenerator(seed: seed &* 7919)
            let now = OutcomeFacts.start + OutcomeFacts.day * 200

            try await stores.settle(try facts.beginning(), now: now)
            try await stores.shuffle(try facts.rest(), now: now, &random)

            for day in [20, 60, 200] {
                let time = OutcomeFacts.start + OutcomeFacts.day * day
                let tally = try await stores.tally(
                    facts.experiment.id, of: OutcomeFacts.app, facts.organisation, at: time, window: Self.window)
                let expected = facts.tally(at: time, window: Self.window)
                #expect(tally.counts == expected.counts, "seed \(seed), day \(day)")
                #expect(tally.revenue == expected.revenue, "seed \(seed), day \(day)")
                #expect(
                    tally.audience.sorted { ($0.environment, $0.trust) < ($1.environment, $1.trust) }
                        == facts.audience, "seed \(seed)")
            }
            credited += facts.outcomes.count
            moved += facts.purchases.count { $0.lostAt != nil }
        }
        // Otherwise there was nothing to be right about.
        #expect(credited > 30 && moved > 30)
    }
}
