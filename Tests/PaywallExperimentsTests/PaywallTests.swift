import Foundation
import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import PaywallExperiments

@Suite("Paywalls and placements")
struct PaywallTests {
    @Test("Every version is kept with its date, and the newest counts; the same again is no version")
    func versions() async throws {
        let rig = try await PaywallRig()
        try await rig.put(.offers("a"), at: 10)
        let second = try await rig.put(.offers("b", "a"), at: 20)
        let same = try await rig.put(.offers("b", "a"), at: 30)

        #expect(second.value?.version == 2 && second.value?.changedAt == .second(20))
        #expect(try second.all(PaywallConfigured.self).map(\.paywall) == [second.value])
        #expect(same.value == second.value && same.published.isEmpty)
        let list = PaywallList(organisation: PaywallRig.organisation, app: PaywallRig.app, entitlement: PaywallRig.pro)
        let versions = try await rig.database.read { try ListPaywalls().answer(list, in: $0) }
        guard case .applied(let found) = versions else { throw TestFailure("no answer") }
        #expect(found.map(\.version) == [2, 1])
    }

    @Test("An older command is overtaken, a stale one refused, and a repeated one changes nothing")
    func order() async throws {
        let rig = try await PaywallRig()
        #expect(try await rig.put(.offers("a"), at: 20, expecting: 1).refusal?.reason == "version_changed")
        #expect(try await rig.put(.offers("a"), at: 20, expecting: 0).value?.version == 1)

        #expect(try await rig.put(.offers("b"), at: 10).refusal?.reason == "overtaken")
        #expect(try await rig.put(.offers("a"), at: 20, expecting: 0).value?.version == 1)
        #expect(try await rig.put(.offers("b"), at: 30, expecting: 0).refusal?.reason == "version_changed")
        #expect(try await rig.put([], at: 40, expecting: 1).value?.version == 2)
        #expect(try await rig.fetch("i").offer?.skus == [])
    }

    @Test("A placement names an entitlement, until it is taken out")
    func placements() async throws {
        let rig = try await PaywallRig()
        func put(_ name: String, _ entitlement: String?, at second: Int) async throws -> PaywallRig.Ending<Placement> {
            try await rig.run(
                PutPlacement(),
                PlacementPut(
                    organisation: PaywallRig.organisation, app: PaywallRig.app, placement: PlacementID(rawValue: name),
                    entitlement: entitlement.map(EntitlementID.init(rawValue:))), at: second)
        }
        func all() async throws -> [String] {
            let list = PlacementList(organisation: PaywallRig.organisation, app: PaywallRig.app)
            let answer = try await rig.database.read { try ListPlacements().answer(list, in: $0) }
            guard case .applied(let found) = answer else { throw TestFailure("no answer") }
            return found.map { "\($0.placement) \($0.entitlement?.rawValue ?? "")" }
        }

        let first = try await put("settings", "pro", at: 1)
        _ = try await put("home", "extra", at: 2)

        #expect(try first.all(PlacementConfigured.self).map(\.placement) == [first.value])
        #expect(try await all() == ["home extra", "settings pro"])
        _ = try await put("settings", nil, at: 3)
        #expect(try await all() == ["home extra"])
        for name in ["", "a b", "a/b", String(repeating: "p", count: 65)] {
            #expect(try await put(name, "pro", at: 4).refusal?.reason == "field_invalid")
        }
        #expect(try await put("x", "", at: 5).refusal?.reason == "field_invalid")
    }

    /// Of what an operator said, each event is taken by every partition, at any time and any number of times.
    @Test("Configuration that comes late, doubled and out of order ends the same", arguments: 0..<20)
    func orders(seed: UInt64) async throws {
        let author = try await PaywallRig.running()
        try await author.put(.offers("x"), at: 20)
        try await author.change(at: 30) { $0.coverage = 5_000 }
        try await author.stop(at: 40)
        try await author.create("two", at: 41)
        try await author.start("two", at: 42)
        let versions = try await author.database.read { snapshot in
            try PaywallStore.versions(
                of: PaywallRig.pro, of: PaywallRig.app, of: PaywallRig.organisation, in: snapshot)
        }
        let one = try #require(try await author.stop(at: 43).value)
        let two = try #require(try await author.start("two", at: 42).value)
        func earlier(_ experiment: Experiment, _ version: Int, _ state: Experiment.State) -> Experiment {
            var earlier = experiment
            (earlier.version, earlier.state) = (version, state)
            return earlier
        }
        let experiments = [earlier(one, 1, .draft), earlier(one, 2, .running), one, earlier(two, 1, .draft), two]
        var random = SeededGenerator(seed: seed)
        enum News: Sendable { case paywall(PaywallConfiguration), experiment(Experiment) }
        let news = versions.map { News.paywall($0) } + experiments.map { News.experiment($0) }
        let copies = (news + news.shuffled(using: &random).prefix(4)).shuffled(using: &random)

        let rig = try await PaywallRig()
        for item in copies {
            switch item {
            case .paywall(let paywall):
                try await rig.run(ProjectPaywall(), PaywallConfigured(paywall: paywall), at: 50)
            case .experiment(let experiment):
                try await rig.run(ProjectExperiment(), ExperimentChanged(experiment: experiment), at: 50)
            }
        }

        for install in ["i", "j", "k"] {
            let (here, there) = (try await rig.fetch(install, at: 60), try await author.fetch(install, at: 60))
            #expect(here.offer == there.offer, "seed \(seed)")
        }
        #expect(try await rig.fetch("i", at: 60).offer?.experiment?.rawValue == "two")
    }

    @Test("While the end of one has not been heard of, the one that was started last runs")
    func twoRunning() async throws {
        let rig = try await PaywallRig.running()
        var other = try #require(try await rig.create("another", at: 5).value)
        (other.state, other.startedAt, other.version) = (.running, .second(6), 2)
        other.epochs = [.init(number: 1, beganAt: .second(6), coverage: 10_000, arms: other.arms)]

        try await rig.run(ProjectExperiment(), ExperimentChanged(experiment: other), at: 7)

        #expect(try await rig.fetch("i").offer?.experiment == other.id)
    }
}
