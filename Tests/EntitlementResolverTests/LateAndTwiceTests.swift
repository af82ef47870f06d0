import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

/// What comes twice, late, or not at all, told as the stories that lead to it.
@Suite("Late and twice")
struct LateAndTwiceTests {
    /// The edge did not know whether the first was accepted, so its client sent it again: two ids, two times, one fact.
    @Test("A claim that was answered 503 and repeated is one fact, told once, whichever copy comes first")
    func bothCopies() async throws {
        for days in [[-9.0, -8.9], [-8.9, -9]] {
            let store = try await ResolverStore.ofTunes()
            try await store.verify(.period(0))

            let first = try await store.claim(.ann, day: days[0])
            let second = try await store.claim(.ann, day: days[1])

            #expect(first.all(EntitlementChanged.self).map(\.entitlement.isActive) == [true])
            #expect(second.all(EntitlementChanged.self).isEmpty)
            #expect(second.all(SubscriptionChanged.self).isEmpty)
            #expect(try await store.holders() == ["demo//1000": [.ann]])
            let view = try await store.view(.ann)
            #expect(view?.transactions.first?.since == .day(-9))
            #expect(view?.customer.firstSeen == .day(-9))
            #expect(view?.customer.lastSeen == .day(-8.9))
            // Only an earlier one has anything to tell: since when the link is his.
            let told = second.all(LinkChanged.self)
            #expect(told.map(\.since) == (days[1] < days[0] ? [.day(-9)] : []))
        }
    }

    @Test(
        "Of log-ins as A, B and A again the third counts, byte for byte the first, in whatever order they come",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func logInAgain(order: [Int]) async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        let letters = try [(AppUserID.ann, 1.0), (.ben, 2), (.ann, 3)].map { user, day in
            try Letter(
                LinkClaim(organisation: .demo, app: .tunes, originalTransactionID: .first, user: user, rank: .verified),
                id: "log-in-\(day)", at: .day(day), from: .validator)
        }
        #expect(letters[0].body == letters[2].body)

        for index in order { try await store.settle(letters[index]) }

        #expect(try await store.holders() == ["demo//1000": [.ann]])
        #expect(try await store.view(.ann)?.transactions.first?.since == .day(3))
        #expect(try await store.view(.ann)?.entitlements.first?.isActive == true)
        #expect(try await store.view(.ben)?.entitlements == [])
    }

    @Test("\"You lost it\" ends as a dead letter: two hold it and it shows, until the letter is replayed, however late")
    func lossUntold() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        try await store.claim(.ann, day: 1)

        let dead = try await store.settle(try claim(by: .ben, day: 2)) {
            $0.decoded(as: LinkChanged.self)?.isHeld == false
        }
        #expect(dead.all(LinkChanged.self).map(\.user) == [.ann])
        #expect(try await store.holders().values.map { Set($0) } == [[.ann, .ben]])
        for letter in dead { try await store.settle(letter) }

        #expect(try await store.holders() == ["demo//1000": [.ben]])
        #expect(try await store.view(.ann)?.entitlements == [])
        // Replayed after he has got it back it takes nothing from him.
        try await store.claim(.ann, day: 3)
        for letter in dead { try await store.settle(letter) }
        #expect(try await store.holders() == ["demo//1000": [.ann]])
        #expect(try await store.view(.ann)?.entitlements.first?.isActive == true)
    }

    private func claim(by user: AppUserID, day: Double) throws -> Letter {
        try Letter(
            LinkClaim(organisation: .demo, app: .tunes, originalTransactionID: .first, user: user, rank: .verified),
            id: "claim-\(user)-\(day)", at: .day(day), from: .validator)
    }
}

extension ResolverStore {
    /// Applies one letter and what follows from it, but for what `isHeldBack`.
    ///
    /// - Returns: what was held back.
    fileprivate func settle(_ letter: Letter, butFor isHeldBack: @Sendable (Letter) -> Bool) async throws -> [Letter] {
        try await database.write { transaction in
            var waiting = [letter]
            var heldBack: [Letter] = []
            while !waiting.isEmpty {
                let followers = try Self.apply(waiting.removeFirst(), in: transaction).followers
                heldBack += followers.filter(isHeldBack)
                waiting += followers.filter { !isHeldBack($0) }
            }
            return heldBack
        }
    }
}
