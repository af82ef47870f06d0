import Erasures
import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Erasure of a user")
struct ErasureTests {
    /// ben has taken ann's chain, says things of himself, and holds something else.
    static func told() async throws -> ResolverStore {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        try await store.claim(.ann, day: -9, id: "claim 1")
        try await store.claim(.ben, day: -8, id: "claim 2")
        try await store.claim(.ben, on: OriginalTransactionID(rawValue: "2000"), day: -7, id: "claim 3")
        try await store.settle(identify(day: -6))
        return store
    }

    static func identify(day: Double) throws -> Letter {
        try Letter(
            UserIdentify(
                organisation: .demo, app: .tunes, user: .ben, attributes: ["name": .text("Ben")], trust: .unverified),
            id: "identify-\(day)", at: .day(day), from: .edge)
    }

    @Test("Nothing names him any more, nobody has his chains, and what others have is as it was")
    func erase() async throws {
        let store = try await Self.told()
        let before = try await store.view(.ann)

        try await store.erase(.ben, day: 1)

        #expect(try await store.mentions(of: "ben") == [])
        #expect(try await store.mentions(of: "Ben") == [])
        #expect(try await store.view(.ben) == nil)
        // Her older claim does not win by it.
        #expect(try await store.holders() == [:])
        #expect(try await store.view(.ann) == before)
        let history = try #require(try await store.history())
        #expect(history.link == nil)
        #expect(history.claims.map(\.user) == [.ann, .nobody])
        #expect(history.entries.filter { $0.what == .linkLost }.map(\.user) == [.ann, .nobody])
    }

    @Test("A newer claim of somebody else gets what was his")
    func newer() async throws {
        let store = try await Self.told()
        try await store.erase(.ben, day: 1)

        try await store.claim(.ann, day: 2, id: "claim 4")

        #expect(try await store.holders() == ["demo//1000": [.ann]])
        #expect(try await store.view(.ann, at: .day(2))?.entitlements.first?.isActive == true)
    }

    @Test("What was accepted before it and comes late does not bring him back; what is accepted later does")
    func late() async throws {
        let store = try await Self.told()
        try await store.erase(.ben, day: 1)

        try await store.claim(.ben, day: 0.5, id: "claim 5")
        try await store.claim(.ben, on: OriginalTransactionID(rawValue: "3000"), day: 0.6, id: "claim 6")
        try await store.settle(Self.identify(day: 0.7))
        #expect(try await store.mentions(of: "ben") == [])
        #expect(try await store.view(.ben) == nil)
        #expect(try await store.holders() == [:])

        try await store.claim(.ben, day: 2, id: "claim 7")
        #expect(try await store.holders() == ["demo//1000": [.ben]])
        #expect(try await store.view(.ben, at: .day(2))?.entitlements.first?.isActive == true)
        #expect(try await store.view(.ben, at: .day(2))?.customer.attributes == [:])
    }

    @Test("What his chains tell him before they have heard of it is not taken")
    func onTheWay() async throws {
        let store = try await Self.told()
        let chain = ChainID(.demo, .stores, .first)
        let told = try await store.database.read { snapshot in
            var outgoing = Outgoing(cause: MessageID(rawValue: "again"), bucket: chain.bucket, acceptedAt: .day(1))
            for told in try ToldLinkStore.page(of: chain, after: 0, limit: 9, in: snapshot) {
                try ChainNews(chain: chain).tellAgain(told, in: snapshot, outgoing: &outgoing)
            }
            return outgoing.publications.compactMap { Letter($0, from: .entitlementResolver) }
        }
        #expect(told.all(LinkChanged.self).map(\.user) == [.ann, .ben])
        #expect(told.all(SubscriptionChanged.self).map(\.user) == [.ben])
        try await store.erase(.ben, day: 1)

        for letter in told { try await store.settle(letter, now: .day(1)) }

        #expect(try await store.mentions(of: "ben") == [])
    }

    @Test("The same command twice is one; another one takes what has come since")
    func again() async throws {
        let store = try await Self.told()
        try await store.erase(.ben, day: 1)
        try await store.claim(.ben, day: 2, id: "claim 8")

        try await store.erase(.ben, day: 1)
        #expect(try await store.holders() == ["demo//1000": [.ben]])

        try await store.erase(.ben, day: 3)
        #expect(try await store.holders() == [:])
        #expect(try await store.mentions(of: "ben") == [])
    }

    @Test("Somebody who claimed very many chains is forgotten a few at a time, and it says when it is done")
    func many() async throws {
        let store = try await ResolverStore.ofTunes()
        let chains = ForgetClaimants.portion * 2 + 1
        for number in 0..<chains {
            try await store.claim(
                .ben, on: OriginalTransactionID(rawValue: "c\(number)"), day: -9, id: "claim \(number)")
        }
        func traces() async throws -> UserTraces.Value? {
            let verdict = try await store.database.read {
                try FindTraces().answer(UserTraces(partition: 0, organisation: .demo, user: .ben), in: $0)
            }
            guard case .applied(let value) = verdict else { return nil }
            return value
        }
        #expect(try await traces()?.rows["claims"] == chains)
        let command = try Letter(
            UserErase(organisation: .demo, user: .ben, by: "Zoë"), id: "e", at: .day(1), from: .operatorTool)

        try await store.settle(command, now: .day(1))
        #expect(try await traces()?.isPending == true)
        #expect(try await traces()?.rows["customers"] == nil)
        try await store.ringAlarms(now: .day(1))

        #expect(try await traces() == UserTraces.Value(rows: [:], erasedAt: .day(1), isPending: false))
        #expect(try await store.mentions(of: "ben") == [])
    }
}

extension ErasureTests {
    @Test("Every table that names users is counted, and those of the user's side are deleted from")
    func complete() async throws {
        let store = try await ResolverStore()
        // A chain's own row follows its claims; of erasures only digests are left; the third holds whom it looks at next.
        let exempt: Set<String> = ["chains", "erasures", "reassessments"]

        let naming = try await store.database.read { snapshot in
            try snapshot.all(
                """
                SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
                WHERE m.type = 'table' AND c.name IN ('user', 'after_user')
                """
            ) { try $0.text(0) }
        }

        #expect(Set(naming).subtracting(exempt) == Set(UserRows.ofUser + UserRows.ofChains))
    }
}
