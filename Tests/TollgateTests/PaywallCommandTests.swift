import Foundation
import Messages
import Synchronization
import TestSupport
import Testing
import Tollgate

@Suite("Paywalls and experiments, as the operator sees them")
struct PaywallCommandTests {
    static let organisation = OrganisationID(rawValue: "acme")
    static let app = AppID(rawValue: "com.example.tunes")
    static let control = PaywallSKU(product: ProductID(rawValue: "monthly"), kind: .subscription)
    static let experiment = Experiment(
        organisation: organisation, app: app, id: ExperimentID(rawValue: "0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f"),
        entitlement: EntitlementID(rawValue: "pro"), name: "Annual first", state: .running, coverage: 5_000,
        arms: [arm("control", 1), arm("b", 3)],
        variants: ["control", "b", "old"].map { .init(key: VariantKey(rawValue: $0), skus: [control]) },
        epochs: [
            .init(number: 1, beganAt: .distantPast, coverage: 1_250, arms: [arm("control", 1), arm("old", 1)]),
            .init(number: 2, beganAt: .distantPast, coverage: 5_000, arms: [arm("control", 1), arm("b", 3)]),
        ], conversionWindowSeconds: 60, createdAt: .distantPast, version: 3, changedAt: .distantPast)

    static func arm(_ key: String, _ weight: Int) -> Experiment.Arm {
        Experiment.Arm(variant: VariantKey(rawValue: key), weight: weight)
    }

    /// Runs the tool while paywall-experiments answers, and hands back the one command that it got.
    private func run<Body: Command>(
        _ type: Body.Type, answering value: Body.Value, _ words: String...
    ) async throws -> (ending: Tool.Ending, sent: Body?) {
        let installation = FakeInstallation()
        let paywall = PaywallConfiguration(
            organisation: Self.organisation, app: Self.app, entitlement: EntitlementID(rawValue: "pro"),
            skus: [Self.control], version: 1, changedAt: .distantPast)
        let ending = try await installation.answering(.paywallExperiments) { kind, _ -> (any Encodable & Sendable)? in
            switch kind {
            case Body.kind: Answer.applied(value)
            case PaywallList.kind: Answer.applied([paywall])
            default: nil
            }
        } while: {
            await installation.tool(words + ["--app", "com.example.tunes"])
        }
        let body = installation.messages.last { $0.kind == Body.kind }?.body
        return (ending, try body.map { try MessageJSON.decode(Body.self, from: $0) })
    }

    @Test("Offers are products with a kind; a colon that names none belongs to the product")
    func offers() async throws {
        let paywall = PaywallConfiguration(
            organisation: Self.organisation, app: Self.app, entitlement: EntitlementID(rawValue: "pro"),
            skus: [Self.control], version: 2, changedAt: .distantPast)
        let (ending, sent) = try await run(
            PaywallPut.self, answering: paywall, "paywalls", "set", "pro", "a", "b:iap", "c:d", "e:subscription",
            "--expect", "1", "--dry-run")

        #expect(ending.status == .success, "\(ending.complaint)")
        #expect(ending.output.hasSuffix("nothing was changed"))
        #expect(
            sent?.skus.map { "\($0.product) \($0.kind)" } == [
                "a subscription", "b iap", "c:d subscription", "e subscription",
            ])
        #expect(sent?.expectedVersion == 1 && sent?.isDryRun == true)
    }

    @Test("An arm without offers of its own gets those of the paywall; the tool makes the id")
    func create() async throws {
        let (ending, sent) = try await run(
            ExperimentCreate.self, answering: Self.experiment, "experiments", "create", "pro", "--name", "Annual first",
            "--coverage", "12.5", "--arm", "control=1", "--arm", "b=3", "--skus", "b=annual,credits:iap", "--window",
            "48h")

        #expect(ending.status == .success, "\(ending.complaint)")
        let create = try #require(sent)
        #expect(create.coverage == 1_250 && create.conversionWindowSeconds == 172_800)
        #expect(create.arms == [Self.arm("control", 1), Self.arm("b", 3)])
        #expect(create.variants.map(\.key.rawValue) == ["b", "control"])
        #expect(create.variants[0].skus.map(\.product.rawValue) == ["annual", "credits"])
        #expect(create.variants[1].skus == [Self.control])
        #expect(create.experiment.isGood && create.isDryRun == nil)
        #expect(ending.output.contains("  old (dropped): monthly"))
        #expect(ending.output.contains("epoch 1 from "))
        #expect(ending.output.contains("conversion window: 1 minute\n"))
        #expect(ending.output.contains("coverage 12.5 %, control=1 old=1"))
    }

    @Test("A place whose paywall is not there, and arms that offer the same, are done as said, with a warning")
    func warnings() async throws {
        func placement(_ entitlement: EntitlementID) -> Placement {
            Placement(
                organisation: Self.organisation, app: Self.app, placement: PlacementID(rawValue: "settings"),
                entitlement: entitlement, version: 1, changedAt: .distantPast)
        }
        let (good, _) = try await run(
            PlacementPut.self, answering: placement(EntitlementID(rawValue: "pro")), "placements", "set", "settings",
            "pro")
        let (bad, sent) = try await run(
            PlacementPut.self, answering: placement(EntitlementID(rawValue: "por")), "placements", "set", "settings",
            "por",
            "--json")
        let (twins, _) = try await run(
            ExperimentStart.self, answering: Self.experiment, "experiments", "start", "one", "--json")

        #expect(good.status == .success && good.complaint.isEmpty, "\(good.complaint)")
        #expect(bad.status == .success && sent?.entitlement?.rawValue == "por")
        let warning = "there is no paywall for por; tollgate paywalls set makes one"
        #expect(bad.complaint.contains(warning) && bad.output.contains("\"warning\":\"\(warning)\""), "\(bad.output)")
        #expect(twins.complaint.contains("control and b offer the same"), "\(twins.complaint)")
        #expect(twins.output.contains("\"warning\":\"control and b offer") && twins.output.contains("\"coverage\":"))
    }

    @Test("What is not said of a change is not sent")
    func change() async throws {
        let (_, sent) = try await run(
            ExperimentChange.self, answering: Self.experiment, "experiments", "change", "one", "--coverage", "100")

        #expect(
            sent
                == ExperimentChange(
                    organisation: Self.organisation, app: Self.app, experiment: ExperimentID(rawValue: "one"),
                    coverage: 10_000))
    }

    @Test(
        "What cannot be meant is a usage error, and nothing is sent",
        arguments: [
            "paywalls set pro", "paywalls set pro a --none", "paywalls set pro a --expect -1", "placements set x",
            "placements set x pro --none", "experiments start", "experiments start a/b", "experiments change one",
            "experiments change one --coverage 101", "experiments change one --coverage 1.234",
            "experiments change one --coverage -1", "experiments change one --coverage 1e2",
            "experiments change one --arm b", "experiments change one --arm b=0", "experiments change one --arm =1",
            "experiments change one --arm b=99999999999999999999", "experiments change one --skus b",
            "experiments change one --skus b=a,,c", "experiments create pro --arm a=1 --arm b=1",
            "experiments create pro --name x --arm a=1", "experiments assign one i --epoch 0",
            // On a terminal these would look like others.
            "experiments create pro --name x\u{202E}y --arm a=1 --arm b=1 --skus a=a --skus b=b",
            "experiments create p\u{2066}ro --name x --arm a=1 --arm b=1 --skus a=a --skus b=b",
            "experiments change one --name x\u{200B}y", "paywalls set pro\u{202E} a", "paywalls set pro a\u{FEFF}",
            "placements set x pro\u{85}",
        ])
    func usage(line: String) async throws {
        let installation = FakeInstallation()

        let ending = await installation.tool(line.split(separator: " ").map(String.init) + ["--app", "a.b"])

        #expect(ending.status == .usage, "\(ending.complaint)\(ending.output)")
        #expect(installation.messages.isEmpty)
    }

    /// By the worked example: epoch 2 gives b.
    @Test(
        "An assignment is reckoned from the record, and what is kept is held against the rule of its epoch",
        arguments: [
            (nil, "kept: nothing", Tollgate.ExitStatus.success), (2, "; as computed", .success),
            (1, "; the rule of epoch 1 gives nothing", .failed), (9, "; the rule of epoch 9 gives nothing", .failed),
        ] as [(Int?, String, Tollgate.ExitStatus)])
    func assign(epoch: Int?, tail: String, status: Tollgate.ExitStatus) async throws {
        let kept = epoch.map {
            Assignment(
                experiment: Self.experiment.id, environment: .production, variant: VariantKey(rawValue: "b"), epoch: $0,
                trust: .unverified, assignedAt: .distantPast)
        }
        let installation = FakeInstallation()
        let ending = try await installation.answering(.paywallExperiments) { kind, _ -> (any Encodable & Sendable)? in
            kind == AssignmentList.kind
                ? Answer.applied(kept.map { [$0] } ?? [])
                : Answer.applied(ExperimentList.Value(experiments: [Self.experiment]))
        } while: {
            await installation.tool(
                "experiments", "assign", "--app", "com.example.tunes", Self.experiment.id.rawValue,
                "6F9619FF-8B86-D011-B42D-00CF4FC964FF")
        }

        #expect(ending.status == status, "\(ending.complaint)")
        #expect(ending.output.hasPrefix("by the rule of epoch 2: b\n"))
        #expect(ending.output.contains(tail))
    }

    @Test("Pages are put together, and pages that go round end with an error")
    func pages() async throws {
        let asked = Mutex<[ExperimentID?]>([])
        func list(_ next: @escaping @Sendable (ExperimentID?) -> String?) async throws -> Tool.Ending {
            let installation = FakeInstallation()
            return try await installation.answering(.paywallExperiments) { _, body in
                guard let query = try? MessageJSON.decode(ExperimentList.self, from: body) else { return nil }
                asked.withLock { $0.append(query.after) }
                return Answer.applied(
                    ExperimentList.Value(
                        experiments: [Self.experiment], next: next(query.after).map(ExperimentID.init(rawValue:))))
            } while: {
                await installation.tool("experiments", "list", "--app", "com.example.tunes")
            }
        }

        let two = try await list { $0 == nil ? "a" : nil }
        let endless = try await list { _ in "a" }

        #expect(two.output.split(separator: "\n").count == 2)
        #expect(endless.status == .failed && endless.complaint.contains("goes round"))
        #expect(asked.withLock { $0.count } == 4)
    }
}
