import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Scenarios")
struct ScenarioTests {
    @Test("Each has a name of its own, that is fit for a folder, and says what happens")
    func names() {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
        for scenario in Scenario.all {
            #expect(scenario.name.allSatisfy { $0.isLowercase || $0 == "-" })
            #expect(!scenario.summary.isEmpty)
            #expect(Scenario.named(scenario.name)?.summary == scenario.summary)
        }
        #expect(Scenario.named("nothing") == nil)
    }

    @Test("The same seed tells the same to the last field", arguments: Scenario.all)
    func seeds(scenario: Scenario) {
        #expect(fields(of: scenario.story(seed: 7)) == fields(of: scenario.story(seed: 7)))
    }

    @Test("Stories of different seeds or scenarios have no id in common")
    func distinct() {
        var seen: Set<String> = []
        for story in Scenario.all.flatMap({ [$0.story(seed: 7), $0.story(seed: 8)] }) {
            let ids = ids(in: story)
            #expect(seen.isDisjoint(with: ids), "\(story.scenario), seed \(story.seed)")
            seen.formUnion(ids)
        }
    }

    @Test("Another start moves everything by as much, and changes nothing else", arguments: Scenario.all)
    func start(scenario: Scenario) {
        let early = scenario.story(from: Date(timeIntervalSince1970: 1_500_000_000))
        let late = scenario.story(from: Date(timeIntervalSince1970: 1_600_000_000))

        #expect(late.end.timeIntervalSince(early.end).rounded() == 100_000_000)
        #expect(ids(in: early) == ids(in: late))
        #expect(early.periods.map(\.transactionId) == late.periods.map(\.transactionId))
    }

    @Test("Events are signed one after the other, and never before they happen", arguments: Scenario.all)
    func order(scenario: Scenario) {
        let story = scenario.story()

        #expect(!story.events.isEmpty)
        #expect(zip(story.events, story.events.dropFirst()).allSatisfy { $0.signedAt < $1.signedAt && $0.at <= $1.at })
        #expect(story.events.allSatisfy { $0.at < $0.signedAt && !$0.documents.isEmpty })
    }

    @Test("The app, the token and the products are those that are asked for")
    func setting() {
        var setting = ScenarioSetting(bundleID: "org.example.racer")
        setting.appAccountToken = "1f0e7aac-2c0e-4b1b-9e53-6c1f00b0a001"
        setting.environment = .sandbox
        setting.products[.monthly].id = "pro"

        let story = Scenario.named("renewals")?.story(in: setting)

        let transactions = story.map { Evidence(of: $0).transactions } ?? []
        #expect(transactions.count == 6)
        for transaction in transactions {
            #expect(transaction.bundleID == "org.example.racer")
            #expect(transaction.appAccountToken == "1f0e7aac-2c0e-4b1b-9e53-6c1f00b0a001")
            #expect(transaction.environment == .sandbox)
            #expect(transaction.productID == "pro")
        }
    }

    private func fields(of story: Story) -> [String] {
        story.events.map { event in
            var text = ""
            dump(event, to: &text)
            // Sets are in no order.
            return text.split(separator: "\n").sorted().joined(separator: "\n")
        }
    }

    private func ids(in story: Story) -> Set<String> {
        let evidence = Evidence(of: story)
        return Set(evidence.transactions.compactMap(\.transactionID) + evidence.notificationIDs)
    }
}
