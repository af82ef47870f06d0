import JSON
import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Customers")
struct CustomerTests {
    @discardableResult
    static func identify(
        _ user: AppUserID = .ann, _ attributes: [String: AttributeValue]? = nil, platform: String? = nil, day: Double,
        id: String, trust: Trust = .attested, from author: BrokerUser = .edge, in store: ResolverStore
    ) async throws -> Refusal? {
        let message = UserIdentify(
            organisation: .demo, app: .tunes, user: user, platform: platform, attributes: attributes, trust: trust)
        let letter = try Letter(message, id: id, at: .day(day), from: author)
        return try await store.database.write { try ResolverStore.apply(letter, in: $0).refusal }
    }

    @Test("Of each attribute the newest word counts, in whatever order they come")
    func attributes() async throws {
        let store = try await ResolverStore.ofTunes()
        // Log-in A, B, A on one phone: the third is byte for byte the first, and wins.
        try await Self.identify(.ann, ["name": .text("A")], day: 3, id: "3", in: store)
        try await Self.identify(.ann, ["name": .text("A"), "age": .integer(7)], day: 1, id: "1", in: store)
        try await Self.identify(.ann, ["name": .text("B")], platform: "ios", day: 2, id: "2", in: store)

        let customer = try #require(try await store.view(.ann)?.customer)

        #expect(customer.attributes == ["name": .text("A"), "age": .integer(7)])
        #expect(customer.platform == "ios")
        #expect(customer.firstSeen == .day(1))
        #expect(customer.lastSeen == .day(3))
        #expect(customer.trust == .attested)
    }

    @Test("What edges pass on of him is what the view of him says, under the id that they give")
    func document() async throws {
        let store = try await ResolverStore.ofTunes()
        try await Self.identify(.ann, ["name": .text("A")], platform: "ios", day: 1, id: "1", in: store)
        let view = try #require(try await store.view(.ann))
        let shows = ShowUserDocument(now: { .noon })
        func ask(_ user: AppUserID) async throws -> Verdict<UserDocumentGet.Value> {
            let query = UserDocumentGet(
                organisation: .demo, app: .tunes, user: user, environment: .production, customerID: "3c446a41")
            return try await store.database.read { try shows.answer(query, in: $0) }
        }

        let written = try JSONFragment(UserAnswer(view, id: "3c446a41", environment: .production))

        guard case .applied(let document) = try await ask(.ann) else { throw TestFailure("no document") }
        #expect(document == written)
        let nobody = AppUserID(rawValue: "nobody")
        guard case .refused(.userUnknown) = try await ask(nobody) else { throw TestFailure("no refusal") }
    }

    @Test("A key that was taken back stays away when an older word of it comes late")
    func takenBack() async throws {
        let store = try await ResolverStore.ofTunes()
        try await Self.identify(.ann, ["name": .null], day: 2, id: "2", in: store)
        try await Self.identify(.ann, ["name": .text("A")], day: 1, id: "1", in: store)

        #expect(try await store.view(.ann)?.customer.attributes == [:])
    }

    @Test("Trust is believed only from the edge")
    func trust() async throws {
        let store = try await ResolverStore.ofTunes()
        try await Self.identify(.ann, ["name": .text("A")], day: 1, id: "1", from: .somebody, in: store)

        #expect(try await store.view(.ann)?.customer.trust == .unverified)
    }

    @Test(
        "Of whom nobody tells anything the trust is that of whoever named him last; a fact decides as soon as there is one"
    )
    func trustWithoutFacts() async throws {
        let store = try await ResolverStore.ofTunes()
        try await Self.identify(.ann, day: 2, id: "2", trust: .attested, in: store)
        try await Self.identify(.ann, day: 1, id: "1", trust: .unverified, in: store)
        #expect(try await store.view(.ann)?.customer.trust == .attested)

        try await Self.identify(.ann, ["name": .text("A")], day: 0, id: "0", trust: .unverified, in: store)
        #expect(try await store.view(.ann)?.customer.trust == .unverified)
        #expect(try await store.view(.ann)?.customer.attributes == ["name": .text("A")])
    }

    @Test("Whoever is named exists, whether he gets the link or not")
    func named() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, .verified, day: 1)
        try await store.claim(.ben, .attested, day: 2, from: .edge)

        #expect(try await store.view(.ben)?.customer.firstSeen == .day(2))
        #expect(try await store.view(.ben)?.transactions == [])
    }

    @Test("Nobody has named him: refused. No such app: refused")
    func unknown() async throws {
        let store = try await ResolverStore.ofTunes()

        guard case .refused(let user) = try await store.user(.ann) else { return #expect(Bool(false)) }
        guard case .refused(let app) = try await store.user(.ann, app: .radio) else { return #expect(Bool(false)) }

        #expect(user.reason == "user_unknown")
        #expect(app.reason == "app_unknown")
    }

    @Test("A thousand names of attributes are enough, and ids have their limits")
    func limits() async throws {
        let store = try await ResolverStore.ofTunes()
        let many = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("a\($0)", AttributeValue.integer(Int64($0))) })

        #expect(try await Self.identify(.ann, many, day: 1, id: "1", in: store) == nil)
        #expect(
            try await Self.identify(.ann, ["one more": .flag(true)], day: 2, id: "2", in: store)?.reason
                == "too_many_attributes")
        #expect(try await Self.identify(.ann, ["a7": .flag(true)], day: 3, id: "3", in: store) == nil)
        for id in ["", "a\u{0}b", String(repeating: "é", count: 129)] {
            #expect(
                try await Self.identify(AppUserID(rawValue: id), day: 1, id: "1", in: store)?.reason
                    == "identifier_unacceptable")
        }
    }

    @Test("Strangers take no room from attributes that attested callers tell, and get none of theirs")
    func roomForAttested() async throws {
        let store = try await ResolverStore.ofTunes()
        let many = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("a\($0)", AttributeValue.null) })
        #expect(try await Self.identify(.ann, many, day: 1, id: "1", trust: .unverified, in: store) == nil)

        #expect(try await Self.identify(.ann, ["plan": .text("pro")], day: 2, id: "2", in: store) == nil)
        for (number, author) in [BrokerUser.edge, .somebody].enumerated() {
            let trust: Trust = author == .edge ? .unverified : .attested
            let refusal = try await Self.identify(
                .ann, ["b": .flag(true)], day: 3, id: "3 \(number)", trust: trust, from: author, in: store)
            #expect(refusal?.reason == "too_many_attributes")
        }

        #expect(try await store.view(.ann)?.customer.attributes == ["plan": .text("pro")])
    }
}
