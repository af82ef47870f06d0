import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Time and configuration")
struct TimeAndMappingTests {
    @Test("A subscription that lapses while nobody asks is told as it lapses, once")
    func expiry() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        try await store.claim(.ann, day: -9)
        #expect(try await store.database.read { try PassExpiries().next(in: $0) } == .day(20))

        #expect(try await store.ringAlarms(now: .day(19)).all(EntitlementChanged.self).isEmpty)
        let told = try await store.ringAlarms(now: .day(20)).all(EntitlementChanged.self)

        #expect(told.map(\.entitlement.isActive) == [false])
        #expect(told.first?.entitlement.until == .day(20))
        #expect(try await store.ringAlarms(now: .day(21)).isEmpty)
        #expect(try await store.database.read { try PassExpiries().next(in: $0) } == nil)
    }

    @Test("Expiry is judged when asked, whether the alarm has rung or not")
    func judgedWhenAsked() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        try await store.claim(.ann, day: -9)

        #expect(try await store.view(.ann, at: .day(20))?.entitlements.first?.isActive == false)
        #expect(try await store.view(.ann, at: .day(19))?.entitlements.first?.isActive == true)
    }

    @Test("A changed mapping reaches its holders, a few at a time")
    func mapping() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.ringAlarms(now: .noon)
        let users = (0..<450).map { AppUserID(rawValue: "user-\($0)") }
        for (index, user) in users.enumerated() {
            let original = OriginalTransactionID(rawValue: "\(index)")
            try await store.verify(.period(0, of: original))
            try await store.claim(user, on: original, day: -9)
        }

        let plus = EntitlementID(rawValue: "plus")
        let followed = try await store.map(.monthly, to: [plus], id: "plus", day: -1)
        let told = try await store.ringAlarms(now: .noon).all(EntitlementChanged.self)

        #expect(followed.all(MappingChanged.self).map(\.mapping.version) == [4])
        #expect(followed.all(EntitlementChanged.self).isEmpty)
        #expect(told.filter { $0.entitlement.entitlement == plus && $0.entitlement.isActive }.count == 450)
        #expect(told.filter { $0.entitlement.entitlement == .pro && !$0.entitlement.isActive }.count == 450)
        #expect(try await store.database.read { try ReassessHolders().next(in: $0) } == nil)
    }

    @Test("A mapping is set by the newest command, and told only if it changes something")
    func newestCommand() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.map(.monthly, to: ["b", "a", "a"].map(EntitlementID.init), id: "new", day: 5)

        #expect(try await store.map(.monthly, to: [.pro], id: "old", day: 4).isEmpty)
        #expect(try await store.map(.monthly, to: ["a", "b"].map(EntitlementID.init), id: "same", day: 6).isEmpty)
        #expect(try await store.mappings()[.monthly] == ["a", "b"].map(EntitlementID.init))
        try await store.map(.monthly, to: [], id: "out", day: 7)
        #expect(try await store.mappings()[.monthly] == nil)
        let changes = try await Array(store.database.audited().suffix(2))
        #expect(
            changes
                == ["a, b", "nothing"].map {
                    "map_product \(Key.app(.demo, .tunes)) \(ProductID.monthly) unlocks \($0) 1"
                })
    }

    @Test("A mapping for an app that is not known is refused")
    func unknownApp() async throws {
        let store = try await ResolverStore()
        let command = MappingSet(organisation: .demo, app: .tunes, product: .monthly, entitlements: [.pro])

        let letter = try Letter(command, id: "m", at: .noon, from: .operatorTool)
        let refusal = try await store.database.write { try ResolverStore.apply(letter, in: $0).refusal }

        #expect(refusal?.reason == "app_unknown")
    }

    @Test("When an app begins to let unverified links grant, its users are told")
    func lenience() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.ringAlarms(now: .noon)
        try await store.verify(.period(0))
        try await store.claim(.ann, .unverified, day: -9)

        try await store.connect(.record(unverifiedLinksGrant: true, version: 2))
        let told = try await store.ringAlarms(now: .noon).all(EntitlementChanged.self)

        #expect(told.map(\.entitlement.trust) == [.unverified])
        #expect(told.map(\.entitlement.isActive) == [true])
    }

    @Test("The highest version of an app counts, in whatever order they come")
    func appVersions() async throws {
        let store = try await ResolverStore()
        try await store.connect(.record(unverifiedLinksGrant: true, version: 3))
        try await store.connect(.record(version: 2))

        let current = try await store.database.read { try AppStore.current(.tunes, of: .demo, in: $0) }

        #expect(current?.version == 3)
    }
}

extension ResolverStore {
    func mappings() async throws -> [ProductID: [EntitlementID]] {
        let verdict = try await database.read { snapshot in
            try ListMappings().answer(MappingList(organisation: .demo, app: .tunes), in: snapshot)
        }
        guard case .applied(let mappings) = verdict else { return [:] }
        return Dictionary(uniqueKeysWithValues: mappings.map { ($0.product, $0.entitlements) })
    }
}
