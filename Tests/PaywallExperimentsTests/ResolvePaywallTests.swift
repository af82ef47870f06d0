import Foundation
import Messages
import TestSupport
import Testing

@testable import PaywallExperiments

@Suite("What an install is offered")
struct ResolvePaywallTests {
    @Test("Without an experiment: the plain paywall for an hour, and nothing is kept")
    func plain() async throws {
        let rig = try await PaywallRig()
        try await rig.put(.plain)

        let fetched = try await rig.fetch("i")

        #expect(fetched.offer == PaywallOffer(entitlement: PaywallRig.pro, skus: .plain, ttlSeconds: 3_600))
        #expect(fetched.isSettled)
        #expect(try await rig.users(of: "i") == [])
        let unknown = try await rig.fetch("i", entitlement: EntitlementID(rawValue: "extra"))
        #expect(unknown.offer?.skus == [] && unknown.isSettled)
    }

    @Test("A draft makes answers short-lived, and assigns nobody; a stopped one does neither")
    func draft() async throws {
        let rig = try await PaywallRig()
        try await rig.put(.plain)
        try await rig.create()
        #expect(
            try await rig.fetch("i").offer
                == PaywallOffer(entitlement: PaywallRig.pro, skus: .plain, ttlSeconds: 900))

        try await rig.stop()

        #expect(try await rig.fetch("i").offer?.ttlSeconds == 3_600)
        #expect(try await rig.assignments(of: "i") == [])
    }

    @Test("While one runs, a fetch assigns, once; and what it assigned is what the rule gives")
    func assigns() async throws {
        let rig = try await PaywallRig.running()

        let first = try await rig.fetch("i", trust: .attested, at: 10)
        let second = try await rig.fetch("i", trust: .attested, at: 11)

        let variant = try #require(first.offer?.variant)
        #expect(first.offer?.experiment?.rawValue == "one" && first.offer?.ttlSeconds == 900)
        #expect(first.offer?.skus == .offers("\(variant).monthly") && first.offer?.isForced == nil)
        #expect(!first.isSettled && second.isSettled && first.offer == second.offer)
        let kept = Assignment(
            experiment: ExperimentID(rawValue: "one"), environment: .production, variant: variant, epoch: 1,
            trust: .attested, assignedAt: .second(10))
        #expect(try await rig.assignments(of: "i") == [kept])
        let told = try first.published.map { try MessageJSON.decode(PaywallAssigned.self, from: $0.body) }
        #expect(told.map(\.variant) == [variant] && told.map(\.user.rawValue) == ["anna"])
        // The lane may have two in one batch, neither of them settled when it looked.
        let request = PaywallResolve(
            organisation: PaywallRig.organisation, app: PaywallRig.app, install: InstallID(rawValue: "i"),
            user: AppUserID(rawValue: "anna"), entitlement: PaywallRig.pro, trust: .attested)
        let again = try await rig.run(rig.resolver, request, at: 12)
        #expect(again.value == first.offer && again.published.isEmpty)
        #expect(try await rig.assignments(of: "i") == [kept])
    }

    @Test("Who takes no part is offered the plain paywall, and neither experiment nor variant is named")
    func outside() async throws {
        let rig = try await PaywallRig.running(coverage: 0)

        let fetched = try await rig.fetch("i")

        #expect(fetched.offer == PaywallOffer(entitlement: PaywallRig.pro, skus: .plain, ttlSeconds: 900))
        #expect(fetched.isSettled)
        #expect(try await rig.assignments(of: "i") == [])
        #expect(try await rig.users(of: "i") == [])
    }

    @Test("Nobody moves: not by log-in, not by weights, not by coverage, not when his variant is dropped")
    func sticky() async throws {
        let rig = try await PaywallRig.running()
        let installs = (0..<40).map { "install-\($0)" }
        var first: [String: PaywallOffer] = [:]
        for install in installs { first[install] = try await rig.fetch(install).offer }
        #expect(Set(first.values.map(\.variant)).count == 2)

        try await rig.change(at: 50) { $0.arms = arms(["control": 1, "b": 1_000]) }
        try await rig.change(at: 51) { $0.coverage = 0 }
        try await rig.change(at: 52) {
            $0.arms = arms(["control": 1, "c": 1])
            $0.variants = [variant("c", "c.annual")]
        }

        for install in installs {
            #expect(try await rig.fetch(install, as: "otto", at: 60).offer == first[install])
            #expect(try await rig.fetch(install, at: 61).offer == first[install])
        }
        #expect(try await rig.assignments(of: installs[0]).map(\.epoch) == [1])
        // The same installs under another name are drawn by the newest rule.
        try await rig.change(at: 70) { $0.coverage = 10_000 }
        let anew = try await rig.fetch("new", at: 71)
        #expect(["control", "c"].contains(anew.offer?.variant?.rawValue))
        #expect(try await rig.assignments(of: "new").map(\.epoch) == [5])
    }

    @Test("When it is stopped, everybody is offered the plain paywall again")
    func stopped() async throws {
        let rig = try await PaywallRig.running()
        _ = try await rig.fetch("i")

        try await rig.stop()

        let fetched = try await rig.fetch("i", at: 110)
        #expect(fetched.offer == PaywallOffer(entitlement: PaywallRig.pro, skus: .plain, ttlSeconds: 3_600))
        #expect(fetched.isSettled)
        #expect(try await rig.assignments(of: "i").count == 1)
    }

    @Test("Environments are apart, and those that nobody knows are one")
    func environments() async throws {
        let rig = try await PaywallRig.running()
        let names = ["production", "sandbox", "xcode", "moonbase", "PRODUCTION", ""]

        for name in names { _ = try await rig.fetch("i", as: name, in: StoreEnvironment(rawValue: name)) }

        #expect(
            try await rig.assignments(of: "i").map(\.environment.rawValue)
                == ["production", "sandbox", "unknown", "xcode"])
        #expect(try await rig.users(of: "i") == ["production"])
        #expect(try await rig.users(of: "i", in: .sandbox) == ["sandbox"])
    }

    @Test("Outside of production a variant can be forced, and nothing is kept; in production it cannot")
    func forced() async throws {
        let rig = try await PaywallRig.running(coverage: 0)
        try await rig.change(at: 50) {
            $0.arms = arms(["control": 1, "c": 1])
            $0.variants = [variant("c", "c.annual")]
        }

        // The dropped one too.
        for name in ["control", "b", "c"] {
            let fetched = try await rig.fetch("i", in: .sandbox, forcing: name, at: 60)
            #expect(fetched.offer?.variant?.rawValue == name && fetched.offer?.isForced == true)
            // Else whoever has looked at it would send an impression of it.
            #expect(fetched.offer?.experiment == nil && fetched.isSettled)
        }
        #expect(try await rig.fetch("i", in: .sandbox, forcing: "nobody", at: 60).offer?.skus == .plain)
        #expect(try await rig.fetch("i", forcing: "b", at: 60).offer?.skus == .plain)
        #expect(try await rig.assignments(of: "i") == [])
        #expect(try await rig.users(of: "i", in: .sandbox) == [])
    }

    @Test("A variant of a draft can be looked at before it runs; its experiment is not named")
    func forcedDraft() async throws {
        let rig = try await PaywallRig()
        try await rig.put(.plain)
        try await rig.create()

        let offer = try await rig.fetch("i", in: .sandbox, forcing: "b").offer

        #expect(offer?.isForced == true && offer?.skus == .offers("b.monthly") && offer?.experiment == nil)
    }

    @Test("Of who takes part, every user is kept, also where he sees no experiment; of others nobody")
    func users() async throws {
        let rig = try await PaywallRig.running()
        let extra = EntitlementID(rawValue: "extra")
        try await rig.put(.plain, of: extra, at: 5)
        _ = try await rig.fetch("i", as: "before", entitlement: extra)
        _ = try await rig.fetch("i", as: "$anon_1")
        #expect(try await !rig.fetch("i", as: "anna").isSettled)
        #expect(try await !rig.fetch("i", as: "otto", entitlement: extra).isSettled)
        #expect(try await rig.fetch("i", as: "otto").isSettled)

        #expect(try await rig.users(of: "i") == ["$anon_1", "anna", "otto"])
        for index in 0..<120 { #expect(try await rig.fetch("i", as: "user-\(index)").offer != nil) }
        #expect(try await rig.users(of: "i").count == 100)
        // Whoever makes up more is answered all the same.
        #expect(try await rig.fetch("i", as: "one more").isSettled)
    }

    @Test("Strangers take no room from users whom attested callers name")
    func roomForAttested() async throws {
        let rig = try await PaywallRig.running()
        for number in 0..<110 { _ = try await rig.fetch("i", as: "made up \(number)") }

        for number in 0..<110 { _ = try await rig.fetch("i", as: "genuine \(number)", trust: .attested) }

        let users = try await rig.users(of: "i")
        #expect(users.count { $0.hasPrefix("genuine") } == 100 && users.count == 200)
    }

    @Test("An assignment is attested once a genuine app has asked, and stays so")
    func trust() async throws {
        let rig = try await PaywallRig.running()
        func trust() async throws -> [Trust] { try await rig.assignments(of: "i").map(\.trust) }

        _ = try await rig.fetch("i", trust: Trust(rawValue: "verified"))
        #expect(try await trust() == [.unverified])
        let attested = try await rig.fetch("i", trust: .attested)
        #expect(!attested.isSettled && attested.published.isEmpty)
        #expect(try await rig.fetch("i", trust: .unverified).isSettled)
        #expect(try await trust() == [.attested])
    }

    @Test(
        "Ids that nobody could store are refused, and any others are ids",
        arguments: [
            ("", "u", "pro"), ("i", "", "pro"), ("i", "u", ""), ("a\u{0}", "u", "pro"), ("i", "\u{0}", "pro"),
            (String(repeating: "i", count: 257), "u", "pro"), ("i", String(repeating: "u", count: 257), "pro"),
            ("i", "u", String(repeating: "e", count: 257)),
        ])
    func hostile(install: String, user: String, entitlement: String) async throws {
        let rig = try await PaywallRig.running()

        let fetched = try await rig.fetch(
            install, as: user, entitlement: EntitlementID(rawValue: entitlement))

        #expect(fetched.refusal?.reason == "identifier_unacceptable")
    }

    @Test(
        "Strange ids are kept byte for byte",
        arguments: ["a/b", "e\u{301}", "\u{e9}", "'; DROP TABLE assignments", String(repeating: "i", count: 256)])
    func strange(install: String) async throws {
        let rig = try await PaywallRig.running()

        let first = try await rig.fetch(install)

        #expect(first.offer?.experiment != nil)
        #expect(try await rig.fetch(install).isSettled)
        #expect(try await rig.assignments(of: install).count == 1)
    }

    @Test("A change is seen by the next fetch: what was decoded before never stands in for it")
    func fresh() async throws {
        let rig = try await PaywallRig()
        try await rig.put(.offers("a"), at: 1)
        #expect(try await rig.fetch("i").offer?.skus == .offers("a"))
        try await rig.put(.offers("b"), at: 2)
        #expect(try await rig.fetch("i").offer?.skus == .offers("b"))
        try await rig.create(at: 3)
        try await rig.start(at: 4)
        #expect(try await rig.fetch("i").offer?.variant != nil)
        try await rig.stop(at: 5)
        #expect(try await rig.fetch("i").offer?.skus == .offers("b"))
        #expect(try await rig.fetch("i").offer?.ttlSeconds == 3_600)
    }
}
