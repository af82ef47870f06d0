import Messages
import SQLite
import Testing

@testable import PaywallExperiments

/// What one impression does, case by case.
@Suite("What impressions expose")
struct ImpressionTests {
    static let production = StoreEnvironment.production

    static func impression(in environment: StoreEnvironment? = nil, trust: Trust = .unverified) -> ImpressionRecord {
        ImpressionRecord(
            organisation: PaywallRig.organisation, app: PaywallRig.app, install: InstallID(rawValue: "i"),
            experiment: ExperimentID(rawValue: "one"), renderedSkus: [], environment: environment, trust: trust)
    }

    static func see(
        _ rig: PaywallRig, in environment: StoreEnvironment? = nil, trust: Trust = .unverified, at second: Int,
        from author: ServiceName = .attestGateway
    ) async throws -> (told: [PaywallExposed], refusal: Refusal?) {
        let ending = try await rig.run(
            RecordImpression(), impression(in: environment, trust: trust), at: second, id: "seen-\(second)-\(trust)",
            from: author)
        return (try ending.all(PaywallExposed.self), ending.refusal)
    }

    static func exposure(_ rig: PaywallRig, in environment: StoreEnvironment = production) async throws -> Exposure? {
        try await rig.database.read { snapshot in
            try ExposureStore.exposure(
                of: AppInstall(PaywallRig.organisation, PaywallRig.app, InstallID(rawValue: "i")),
                Exposure.Field(
                    app: PaywallRig.app, experiment: ExperimentID(rawValue: "one"), environment: environment),
                in: snapshot)
        }
    }

    @Test("An attested impression counts before those that anybody may send, earlier ones too, whichever comes first")
    func trust() async throws {
        let rig = try await PaywallRig.running()
        _ = try await rig.fetch("i", trust: .attested, at: 10)

        #expect(try await Self.see(rig, at: 20).told.map(\.trust) == [.unverified])
        #expect(try await Self.see(rig, trust: .attested, at: 40).told.map(\.trust) == [.attested])
        for second in [15, 50] { #expect(try await Self.see(rig, at: second).told.isEmpty) }
        // Of those that are attested the earlier one.
        #expect(try await Self.see(rig, trust: .attested, at: 60).told.isEmpty)
        #expect(try await Self.see(rig, trust: .attested, at: 30).told.map(\.exposedAt) == [.second(30)])

        let kept = try await Self.exposure(rig)
        #expect(kept?.trust == .attested && kept?.exposedAt == .second(30))
    }

    @Test("Trust is the edge's to say")
    func author() async throws {
        let rig = try await PaywallRig.running()
        _ = try await rig.fetch("i", at: 10)

        _ = try await Self.see(rig, trust: .attested, at: 20, from: .eventIngest)

        #expect(try await Self.exposure(rig)?.trust == .unverified)
    }

    @Test("Nobody has seen his variant before he had it", arguments: [-1_000_000, 9, 10, 11])
    func backdated(second: Int) async throws {
        let rig = try await PaywallRig.running()
        _ = try await rig.fetch("i", at: 10)

        let told = try await Self.see(rig, at: second).told

        #expect(told.map(\.exposedAt) == [.second(max(10, second))])
        #expect(try await Self.exposure(rig)?.exposedAt == .second(max(10, second)))
    }

    @Test(
        "Without a word on the environment it is where the install was assigned last until then",
        arguments: [
            ([(.production, 10)], 20, .production), ([(.sandbox, 10)], 20, .sandbox), ([(.xcode, 30)], 20, .xcode),
            ([(.production, 10), (.sandbox, 30)], 20, .production),
            ([(.production, 10), (.sandbox, 30)], 30, .sandbox),
            ([(.sandbox, 10), (.production, 30)], 40, .production),
            ([(.production, 10), (.sandbox, 10)], 20, .sandbox), ([(.sandbox, 30), (.production, 40)], 20, .sandbox),
        ] as [([(StoreEnvironment, Int)], Int, StoreEnvironment)])
    func environment(fetches: [(StoreEnvironment, Int)], seen: Int, expected: StoreEnvironment) async throws {
        let rig = try await PaywallRig.running()
        for (environment, second) in fetches { _ = try await rig.fetch("i", in: environment, at: second) }

        let told = try await Self.see(rig, at: seen).told

        #expect(told.map(\.environment) == [expected])
    }

    @Test("One that names an environment is of that one, or of none")
    func named() async throws {
        let rig = try await PaywallRig.running()
        _ = try await rig.fetch("i", in: .sandbox, at: 10)

        #expect(try await Self.see(rig, in: .production, at: 20).refusal?.reason == "not_assigned")
        #expect(try await Self.see(rig, in: .sandbox, at: 21).told.map(\.environment) == [.sandbox])
    }

    @Test("Who has only looked at a variant is not exposed to it")
    func forced() async throws {
        let rig = try await PaywallRig.running()
        let offer = try await rig.fetch("i", in: .sandbox, forcing: "b").offer

        #expect(offer?.isForced == true && offer?.experiment == nil)
        #expect(try await Self.see(rig, at: 20).refusal?.reason == "not_assigned")
    }

    @Test("Nobody else makes a tester of a genuine app that does not say where it runs")
    func displacedEnvironment() async throws {
        let rig = try await PaywallRig.running()
        _ = try await rig.fetch("i", trust: .attested, at: 10)
        _ = try await rig.fetch("i", as: "stranger", in: .sandbox, at: 20)

        #expect(try await Self.see(rig, trust: .attested, at: 30).told.map(\.environment) == [.production])
        #expect(try await Self.see(rig, at: 40).told.map(\.environment) == [.sandbox])
    }

    @Test("Whom only strangers name has seen what anybody may say, until an attested caller names him")
    func namedByStrangers() async throws {
        let rig = try await PaywallRig.running()
        _ = try await rig.fetch("i", as: "anna", trust: .attested, at: 10)
        _ = try await rig.fetch("i", as: "victim", at: 11)

        let told = try await Self.see(rig, trust: .attested, at: 40).told
        #expect(told.map(\.user.rawValue) == ["anna", "victim"])
        #expect(told.map(\.trust) == [.attested, .unverified])
        // What anybody says was seen earlier is told to him alone.
        let earlier = try await Self.see(rig, at: 20).told
        #expect(earlier.map(\.user.rawValue) == ["victim"] && earlier.map(\.exposedAt) == [.second(20)])

        let named = try await rig.fetch("i", as: "victim", trust: .attested, at: 50).published
        let news = try named.filter { $0.kind == PaywallExposed.kind }
            .map { try MessageJSON.decode(PaywallExposed.self, from: $0.body) }
        #expect(news.map(\.trust) == [.attested] && news.map(\.exposedAt) == [.second(40)])
        #expect(news.map(\.namedAt) == [.second(11)])
        #expect(try await rig.fetch("i", as: "victim", at: 60).isSettled)
    }
}
