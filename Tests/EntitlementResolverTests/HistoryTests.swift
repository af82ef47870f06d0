import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("History of a chain")
struct HistoryTests {
    @Test("It tells each claim and what it did, each holder, and each piece of evidence and whether it counts")
    func all() async throws {
        let store = try await ResolverStore.ofTunes(policy: .keep)
        try await store.verify(.period(0), now: .day(-9))
        try await store.verify(.period(0, signed: 1), now: .day(1))
        try await store.claim(.ann, .attested, day: -8)
        try await store.claim(.ben, .attested, day: -7)
        try await store.claim(.ben, .verified, day: -6)

        let history = try #require(try await store.history())

        #expect(history.link?.user == .ben)
        #expect(history.claims.map(\.outcome.rawValue) == ["established", "kept", "moved"])
        #expect(!history.isTruncated)
        let told = history.entries.filter { $0.what == .transactionTold }
        #expect(told.map(\.knownAt) == [.day(-9), .day(1)])
        #expect(told.map(\.reason) == [.superseded, nil])
        #expect(told.first?.supersededBy == told.last?.digest)
        let links = history.entries.filter { [.linkWon, .linkLost].contains($0.what) }
        #expect(
            links.map { "\($0.what) \($0.user.map(\.rawValue) ?? "")" } == [
                "link_won ann", "link_lost ann", "link_won ben",
            ])
        #expect(Set(links.suffix(2).map(\.revision)).count == 1)
    }

    @Test("What was taken back is told with when and why")
    func retracted() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0), now: .day(-9))
        try await store.settle(GroundsTests.retraction(), now: .day(2))

        let entries = try #require(try await store.history()?.entries)
        let before = try #require(try await store.history(knownAt: .day(1))?.entries)

        #expect(entries.map(\.what) == [.transactionTold, .transactionWithdrawn])
        #expect(entries.map(\.reason) == [.retracted, nil])
        #expect(entries.map(\.knownAt) == [.day(-9), .day(2)])
        #expect(entries.last?.grounds == "untrusted_chain")
        #expect(before.map(\.what) == [.transactionTold])
        #expect(before.map(\.reason) == [nil])
    }

    @Test("As it was known at a time, it has nothing that came later")
    func past() async throws {
        let store = try await ResolverStore.ofTunes()
        let claims: [(AppUserID, Double, Double)] = [(.ann, -9, -9), (.ben, -8, 5)]
        for (user, day, known) in claims {
            try await store.settle(
                Letter(
                    LinkClaim(
                        organisation: .demo, app: .tunes, originalTransactionID: .first, user: user, rank: .verified),
                    id: "c-\(user)", at: .day(day), from: .validator), now: .day(known))
        }

        let past = try #require(try await store.history(knownAt: .day(4)))

        #expect(past.link?.user == .ann)
        #expect(past.claims.map(\.user) == [.ann])
        #expect(past.entries.map(\.what) == [.linkWon, .claimMade].sorted { $0.rawValue < $1.rawValue })
        #expect(try await store.history(knownAt: .day(5))?.link?.user == .ben)
        #expect(try await store.history(of: OriginalTransactionID(rawValue: "unknown")) == ChainHistoryView())
    }

    @Test("Of very many claims the newest are told, and that there are more")
    func bounded() async throws {
        let store = try await ResolverStore.ofTunes()
        for number in 0...TellHistory.most {
            try await store.claim(
                AppUserID(rawValue: "u\(number)"), .attested, day: -9 + Double(number) / 10_000, id: "c\(number)")
        }

        let history = try #require(try await store.history())

        #expect(history.isTruncated)
        #expect(history.claims.count == TellHistory.most)
        #expect(history.claims.last?.user.rawValue == "u\(TellHistory.most)")
    }

    @Test("Contested are chains that were taken from somebody, or that somebody was denied, since a time")
    func contested() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, .verified, day: -9)
        try await store.claim(.ben, .verified, day: -8)
        try await store.claim(.ann, .attested, day: -7)
        try await store.claim(.ann, on: OriginalTransactionID(rawValue: "alone"), day: -6)
        func page(since day: Double, after: String? = nil, size: Int = 500) async throws -> LinksContested.Value {
            let verdict: Verdict<LinksContested.Value> = try await store.database.read {
                try PageContests(pageSize: size).answer(
                    LinksContested(partition: 0, since: .day(day), after: after), in: $0)
            }
            guard case .applied(let value) = verdict else { return .init(contests: [], next: nil) }
            return value
        }

        let all = try await page(since: -100)
        #expect(all.contests.map(\.claim.outcome.rawValue) == ["moved", "outranked"])
        #expect(all.contests.map(\.link?.user) == [.ben, .ben])
        #expect(all.contests.map(\.takenFrom) == [.ann, nil])
        #expect(try await page(since: -7.5).contests.map(\.claim.user) == [.ann])
        let first = try await page(since: -100, size: 1)
        #expect(first.contests.map(\.claim.user) == [.ben])
        #expect(try await page(since: -100, after: first.next, size: 1).contests.map(\.claim.user) == [.ann])
    }
}
