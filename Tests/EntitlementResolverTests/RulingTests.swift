import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Operators' word about links")
struct RulingTests {
    static func moved(policy: LinkMovePolicy = .move) async throws -> ResolverStore {
        let store = try await ResolverStore.ofTunes(policy: policy)
        try await store.verify(.period(0))
        try await store.claim(.ann, .attested, day: -9)
        try await store.claim(.ben, .verified, day: -8)
        return store
    }

    @Test("An undo gives the chain back, and no claim takes it any more")
    func undo() async throws {
        let store = try await Self.moved()

        let told = try await store.undo(to: .ann, from: .ben, day: -7).followed.all(LinkChanged.self)
        let denied = try await store.claim(.ben, .accountToken, day: -6).all(LinkChanged.self)

        #expect(told.map(\.user) == [.ben, .ann])
        #expect(told.map(\.reason) == [.pinned, nil])
        #expect(told.map(\.rank) == [.pinned, .pinned])
        // He knows already that an operator has given it to another.
        #expect(denied.isEmpty)
        #expect(try await store.outcomes() == [.established, .moved, .pinned, .outranked])
        #expect(try await store.holders() == ["demo//1000": [.ann]])
        #expect(try await store.view(.ann)?.entitlements.first?.isActive == true)
        #expect(try await store.view(.ben)?.entitlements == [])
    }

    @Test("It has its place in time: a claim from before it that comes late changes nothing, a later undo counts")
    func place() async throws {
        let store = try await Self.moved()
        _ = try await store.undo(to: .ann, from: .ben, day: -5)

        try await store.claim(.stranger, .accountToken, day: -6)
        #expect(try await store.holders() == ["demo//1000": [.ann]])

        _ = try await store.undo(to: .ben, from: .ann, day: -4)
        #expect(try await store.holders() == ["demo//1000": [.ben]])
    }

    @Test("A pin that is lifted leaves the chain with its holder, on the grounds of his own claims")
    func unpin() async throws {
        let store = try await Self.moved()
        _ = try await store.undo(to: .ann, from: .ben, day: -7)

        let lifted = try await store.unpin(day: -6)
        #expect(lifted.refusal == nil)
        #expect(try await store.history()?.link?.user == .ann)
        #expect(try await store.history()?.link?.rank == .attested)

        try await store.claim(.ben, .verified, day: -5)
        #expect(try await store.holders() == ["demo//1000": [.ben]])
        #expect(try await store.outcomes() == [.established, .moved, .pinned, .unpinned, .moved])
    }

    @Test("What was seen must still be so, and nobody gets what he has never claimed")
    func refused() async throws {
        let store = try await Self.moved()
        let nobody = AppUserID(rawValue: "nobody")

        #expect(try await store.undo(to: .ann, from: .ann, day: -7).refusal == .holderChanged)
        #expect(try await store.undo(to: .ann, from: nil, day: -7).refusal == .holderChanged)
        #expect(try await store.undo(to: nobody, from: .ben, day: -7).refusal == .claimantUnknown)
        #expect(try await store.undo(to: .nobody, from: .ben, day: -7).refusal == .claimantUnknown)
        #expect(try await store.unpin(day: -7).refusal == .notPinned)
        #expect(try await store.holders() == ["demo//1000": [.ben]])
    }

    @Test("The same word twice is one, and the audit trail has it once, without users")
    func twice() async throws {
        let store = try await Self.moved()

        for _ in 0..<2 { _ = try await store.undo(to: .ann, from: .ben, day: -7) }

        #expect(try await store.outcomes().count == 3)
        let trail = try await store.database.audited()
        #expect(trail.filter { !$0.hasPrefix("map_product") } == ["undo_link 1000: ticket 7 1"])
    }

    @Test("No claim is taken for an operator's word", arguments: [BrokerUser.edge, .validator, .operatorTool])
    func belief(author: BrokerUser) async throws {
        let store = try await ResolverStore.ofTunes()

        try await store.claim(.ann, .pinned, day: -9, from: author)

        #expect(try await store.history()?.link?.rank == (author == .operatorTool ? .unverified : .accountToken))
    }
}
