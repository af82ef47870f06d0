import Foundation
import Messages
import TestSupport
import Testing

@testable import PaywallExperiments

@Suite("The life of an experiment")
struct ExperimentLifeTests {
    @Test("Draft, running, stopped: each step is kept and told, with its date")
    func life() async throws {
        let rig = try await PaywallRig()
        try await rig.put(.plain)

        let draft = try await rig.create(at: 10)
        let running = try await rig.start(at: 20)
        let stopped = try await rig.stop(at: 30)

        #expect(draft.value?.state == .draft && draft.value?.epochs == [] && draft.value?.createdAt == .second(10))
        #expect(draft.value?.conversionWindowSeconds == 604_800)
        #expect(running.value?.state == .running && running.value?.startedAt == .second(20))
        #expect(running.value?.epochs.map(\.number) == [1] && running.value?.epochs[0].beganAt == .second(20))
        #expect(stopped.value?.state == .stopped && stopped.value?.stoppedAt == .second(30))
        #expect([draft, running, stopped].map { $0.value?.version } == [1, 2, 3])
        for step in [draft, running, stopped] {
            #expect(try step.all(ExperimentChanged.self).map(\.experiment) == [step.value])
        }
    }

    @Test("Each step comes twice and changes nothing the second time")
    func twice() async throws {
        let rig = try await PaywallRig()
        try await rig.put(.plain)

        for _ in 0..<2 { try await rig.create(at: 10) }
        for _ in 0..<2 { try await rig.start(at: 20) }
        let changed = try await rig.change(at: 30) { $0.coverage = 10 }
        let again = try await rig.change(at: 30) { $0.coverage = 10 }
        for _ in 0..<2 { try await rig.stop(at: 40) }
        let late = [
            try await rig.create(at: 10), try await rig.start(at: 20),
            try await rig.change(at: 30) { $0.coverage = 10 },
        ]

        #expect(changed.value == again.value && again.published.isEmpty)
        #expect(late.allSatisfy { $0.refusal == nil && $0.published.isEmpty && $0.value?.version == 4 })
        let app = Key.app(PaywallRig.organisation, PaywallRig.app)
        #expect(
            try await rig.database.audited() == [
                "set_paywall \(app) \(PaywallRig.pro), version 1 1", "create_experiment \(app) one, version 1 1",
                "start_experiment \(app) one, version 2 1", "change_experiment \(app) one, version 3 1",
                "stop_experiment \(app) one, version 4 1",
            ])
    }

    @Test("What is stopped never runs again, and is not changed")
    func stopped() async throws {
        let rig = try await PaywallRig.running()
        try await rig.stop(at: 60)

        #expect(try await rig.start(at: 61).refusal?.reason == "experiment_stopped")
        #expect(try await rig.change(at: 62) { $0.name = "x" }.refusal?.reason == "experiment_stopped")
        #expect(try await rig.stop(at: 63).value?.stoppedAt == .second(60))
    }

    @Test("A draft can be stopped before it ever ran")
    func abandoned() async throws {
        let rig = try await PaywallRig()
        try await rig.put(.plain)
        try await rig.create()

        let stopped = try await rig.stop()

        #expect(stopped.value?.state == .stopped && stopped.value?.epochs == [] && stopped.value?.startedAt == nil)
    }

    @Test("Of two experiments on one paywall one runs; the other may when it has ended, and on another paywall at once")
    func oneRuns() async throws {
        let rig = try await PaywallRig.running()
        try await rig.create("two", at: 5)
        let extra = EntitlementID(rawValue: "extra")
        try await rig.put(.plain, of: extra, at: 6)
        try await rig.run(CreateExperiment(), .draft("three", entitlement: extra), at: 7)

        let refused = try await rig.start("two", at: 8)

        #expect(refused.refusal?.reason == "another_running")
        #expect(refused.refusal?.message.hasPrefix("The experiment one ") == true)
        #expect(try await rig.start("three", at: 9).value?.state == .running)
        try await rig.stop(at: 20)
        #expect(try await rig.start("two", at: 21).value?.state == .running)
    }

    @Test("None starts where those who take no part would be offered nothing")
    func withoutPaywall() async throws {
        let rig = try await PaywallRig()
        try await rig.create()

        #expect(try await rig.start().refusal?.reason == "paywall_unknown")
        try await rig.put([])
        #expect(try await rig.start(at: 4).refusal?.reason == "paywall_unknown")
        try await rig.put(.plain, at: 5)
        #expect(try await rig.start(at: 6).refusal == nil)
    }

    @Test("Another coverage, other weights or arms begin an epoch; another name does not")
    func epochs() async throws {
        let rig = try await PaywallRig.running()

        try await rig.change(at: 50) { $0.coverage = 5_000 }
        try await rig.change(at: 51) { $0.arms = arms(["control": 1, "b": 3]) }
        try await rig.change(at: 52) {
            $0.arms = arms(["control": 1, "c": 3])
            $0.variants = [variant("c", "c.annual")]
        }
        let renamed = try await rig.change(at: 53) { $0.name = "Annual last" }
        let same = try await rig.change(at: 54) { $0.coverage = 5_000 }

        let experiment = try #require(renamed.value)
        #expect(experiment.name == "Annual last" && experiment.version == 6)
        #expect(experiment.epochs.map(\.number) == [1, 2, 3, 4])
        #expect(experiment.epochs.map(\.beganAt) == [3, 50, 51, 52].map(Timestamp.second))
        #expect(experiment.epochs.map(\.coverage) == [10_000, 5_000, 5_000, 5_000])
        #expect(experiment.epochs[3].arms == arms(["control": 1, "c": 3]))
        // The dropped one is still there.
        #expect(experiment.variants.map(\.key.rawValue) == ["control", "b", "c"])
        #expect(same.value == experiment && same.published.isEmpty)
    }

    @Test("Of a draft everything can be changed, and no epoch begins")
    func draft() async throws {
        let rig = try await PaywallRig()
        try await rig.create()

        let changed = try await rig.change {
            $0.arms = arms(["b": 2, "x": 1])
            $0.variants = [variant("b", "other"), variant("x", "third")]
            $0.coverage = 1
            $0.conversionWindowSeconds = 60
        }

        let experiment = try #require(changed.value)
        #expect(experiment.variants == [variant("b", "other"), variant("x", "third")])
        #expect(experiment.epochs.isEmpty && experiment.coverage == 1 && experiment.conversionWindowSeconds == 60)
    }

    @Test("Once it has run, a variant keeps its offers, the control stays, and so does the window")
    func fixed() async throws {
        let rig = try await PaywallRig.running()
        try await rig.change(at: 40) {
            $0.arms = arms(["control": 1, "c": 1])
            $0.variants = [variant("c", "c.annual")]
        }

        let changes: [(String, @Sendable (inout ExperimentChange) -> Void)] = [
            ("variant_fixed", { $0.variants = [variant("c", "another")] }),
            // Dropped, and not to come back as something else.
            (
                "variant_fixed",
                {
                    $0.arms = arms(["control": 1, "b": 1])
                    $0.variants = [variant("b", "another")]
                }
            ),
            ("control_fixed", { $0.arms = arms(["c": 1, "control": 1]) }),
            ("window_fixed", { $0.conversionWindowSeconds = 60 }),
            ("field_invalid", { $0.arms = arms(["control": 1, "new": 1]) }),
        ]
        for (index, (reason, change)) in changes.enumerated() {
            #expect(try await rig.change(at: 50 + index, change).refusal?.reason == reason)
        }
        // As it was, it may come back.
        let back = try await rig.change(at: 60) { $0.arms = arms(["control": 1, "b": 1]) }
        #expect(back.value?.epochs.count == 3)
    }

    @Test("What was to change the draft, and comes after the start, is overtaken")
    func changeOfDraftTooLate() async throws {
        let rig = try await PaywallRig.running()

        #expect(try await rig.change(at: 2) { $0.coverage = 1 }.refusal?.reason == "overtaken")
        #expect(try await rig.change(at: 4) { $0.coverage = 1 }.value?.epochs.count == 2)
    }

    @Test("Whoever has seen another version is refused; whoever comes late is overtaken")
    func stale() async throws {
        let rig = try await PaywallRig.running()

        #expect(try await rig.change { $0.expectedVersion = 1 }.refusal?.reason == "version_changed")
        #expect(try await rig.change { ($0.expectedVersion, $0.coverage) = (2, 1) }.value?.version == 3)
        #expect(try await rig.change(at: 49) { $0.coverage = 2 }.refusal?.reason == "overtaken")
        #expect(try await rig.stop(expecting: 2).refusal?.reason == "version_changed")
        #expect(try await rig.stop(expecting: 3).value?.version == 4)
        #expect(try await rig.start("none").refusal?.reason == "experiment_unknown")
        #expect(try await rig.stop("none").refusal?.reason == "experiment_unknown")
        #expect(try await rig.change("none") { $0.coverage = 1 }.refusal?.reason == "experiment_unknown")
        #expect(try await rig.create(at: 200).refusal?.reason == "experiment_exists")
    }

    @Test("A dry run says what would be, and leaves everything as it is")
    func dryRun() async throws {
        let rig = try await PaywallRig.running()

        let preview = try await rig.change(at: 50) { ($0.coverage, $0.isDryRun) = (1, true) }

        #expect(preview.value?.epochs.count == 2 && preview.published.isEmpty)
        let real = try await rig.change(at: 49) { $0.coverage = 7 }
        #expect(real.value?.epochs.count == 2 && real.value?.coverage == 7)
    }

    static let spoils: [(String, @Sendable (inout ExperimentCreate) -> Void)] = [
        ("experiment", { $0.experiment = ExperimentID(rawValue: "a b") }),
        ("experiment", { $0.experiment = ExperimentID(rawValue: "") }),
        ("experiment", { $0.experiment = ExperimentID(rawValue: String(repeating: "a", count: 65)) }),
        ("entitlement", { $0.entitlement = EntitlementID(rawValue: "") }),
        ("entitlement", { $0.entitlement = EntitlementID(rawValue: "a\u{0}") }),
        ("name", { $0.name = "" }), ("name", { $0.name = "a\nb" }),
        ("name", { $0.name = String(repeating: "n", count: 201) }),
        ("coverage", { $0.coverage = -1 }), ("coverage", { $0.coverage = 10_001 }),
        ("coverage", { $0.coverage = .min }),
        ("conversionWindowSeconds", { $0.conversionWindowSeconds = 59 }),
        ("name", { $0.name = "Annual\u{202E}tsrif" }), ("name", { $0.name = "Annual\u{2028}first" }),
        ("name", { $0.name = "Annual\u{200B}first" }), ("name", { $0.name = "Annual\u{85}first" }),
        ("entitlement", { $0.entitlement = EntitlementID(rawValue: "pro\u{202E}") }),
        ("variants", { $0.variants[0].skus = .offers("a\u{2066}b") }),
        ("conversionWindowSeconds", { $0.conversionWindowSeconds = .max }),
        ("arms", { $0.arms = [] }), ("arms", { $0.arms = arms(["control": 1]) }),
        ("arms", { $0.arms = arms(["control": 1, "control": 1]) }),
        ("arms", { $0.arms = arms(["control": 0, "b": 1]) }),
        ("arms", { $0.arms = arms(["control": 1_000_001, "b": 1]) }),
        ("arms", { $0.arms = arms(["control": .max, "b": .max]) }),
        ("arms", { $0.arms = arms(["control": 1, "b\n": 1]) }),
        ("arms", { $0.arms = (0..<11).map { .init(variant: VariantKey(rawValue: "v\($0)"), weight: 1) } }),
        ("variants", { $0.variants = [] }), ("variants", { $0.variants[1].skus = [] }),
        ("variants", { $0.variants.append(variant("x", "y")) }),
        ("variants", { $0.variants[0] = $0.variants[1] }),
        ("variants", { $0.variants[0].skus = .offers("a", "a") }),
        ("variants", { $0.variants[0].skus = .offers("") }),
        ("variants", { $0.variants[0].skus[0].kind = PaywallSKU.Kind(rawValue: "lease") }),
    ]

    @Test("What nobody could mean is refused by its field", arguments: spoils)
    func hostile(field: String, spoil: @Sendable (inout ExperimentCreate) -> Void) async throws {
        let rig = try await PaywallRig()
        var create = ExperimentCreate.draft()
        spoil(&create)

        let ending = try await rig.run(CreateExperiment(), create, at: 2)

        #expect(ending.refusal?.reason == "field_invalid")
        #expect(ending.refusal?.message.hasPrefix("\(field): ") == true)
    }

    @Test("Lists, epochs and variants have their bounds")
    func bounds() async throws {
        let rig = try await PaywallRig.running()
        var create = ExperimentCreate.draft("large")
        create.variants[0].skus = (0...50).map {
            PaywallSKU(product: ProductID(rawValue: "\($0)"), kind: .iap)
        }
        #expect(try await rig.run(CreateExperiment(), create, at: 4).refusal?.reason == "too_many")
        for number in 2...50 {
            #expect(try await rig.change(at: 100 + number) { $0.coverage = number }.value?.epochs.count == number)
        }
        #expect(try await rig.change(at: 200) { $0.coverage = 51 }.refusal?.reason == "too_many")
        // Its name is no rule.
        #expect(try await rig.change(at: 201) { $0.name = "x" }.refusal == nil)
    }

    @Test("Nothing is said of an app that is not known")
    func unknownApp() async throws {
        let rig = try await PaywallRig(knowsApp: false)

        #expect(try await rig.put(.plain).refusal?.reason == "app_unknown")
        #expect(try await rig.create().refusal?.reason == "app_unknown")
    }
}
