import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("History of a store from before it was kept")
struct HistoryMigrationTests {
    @Test("What it holds is known from the migration on, and is what it was")
    func migration() async throws {
        let transactions = [StoreTransaction.period(0), .period(1)]
        var renewal = StoreRenewal(originalID: .first, environment: .production, signedAt: .day(21))
        renewal.willRenew = false
        let record = AppRecord.record()
        let old = try await OlderStore(migrations: 3) { [renewal] transaction in
            let customer = Customer(.demo, .ann)
            let chain = ChainID(.demo, .stores, .first)
            try CustomerStore.create(customer, at: .day(-10), in: transaction)
            // As the release before wrote them.
            _ = try transaction.run(
                "INSERT INTO apps (organisation, app, version, changed_at, record) VALUES (?, ?, 1, ?, ?)",
                .text("demo"), .text(record.app.rawValue), .integer(record.changedAt.millisecondsSince1970),
                .blob(try MessageJSON.encode(record)))
            _ = try transaction.run(
                """
                INSERT INTO mappings (organisation, app, product, version, changed_at, entitlements)
                VALUES (?, ?, 'pro.monthly', 1, ?, ?)
                """, .text("demo"), .text(record.app.rawValue), .integer(record.changedAt.millisecondsSince1970),
                .blob(try MessageJSON.encode([EntitlementID.pro])))
            let news = EntitlementResolver.Holding.SubscriptionNews(
                revision: 4, rank: .verified,
                subscription: Subscription(
                    environment: .production, transactions: transactions, renewals: [renewal]))
            let holding = EntitlementResolver.Holding(
                chain: chain, link: .init(revision: 3, isHeld: true, rank: .verified, since: .day(-9)),
                subscriptions: [news])
            try HoldingStore.save(news, of: chain, by: customer, in: transaction)
            try HoldingStore.save(holding, of: customer, in: transaction)
        }

        let before = Timestamp.now - .seconds(1)
        let database = try await old.migrated()
        let now = Timestamp.now + .seconds(1)
        let question = UserWhy(organisation: .demo, app: .tunes, user: .ann, entitlement: .pro, at: .day(0))
        var ofBefore = question
        ofBefore.knownAt = before
        let explain = ExplainEntitlement(now: { now })
        let answer = try await database.read { try explain.answer(question, in: $0) }
        let earlierAnswer = try await database.read { [ofBefore] in try explain.answer(ofBefore, in: $0) }
        let get = UserGet(organisation: .demo, app: .tunes, user: .ann)
        let shown = try await database.read { try ShowUser(now: { .day(0) }).answer(get, in: $0) }
        await database.close()

        let why = try #require(value(answer))
        let then = try #require(value(earlierAnswer))
        let view = try #require(value(shown))
        #expect(why.state == view.entitlements.first && why.state.isActive && why.state.willRenew == false)
        #expect(why.timeline.map(\.what) == [.linkWon, .transactionTold, .transactionTold, .renewalTold])
        #expect(why.knownSince > before && !then.state.isActive && then.timeline.isEmpty)
    }

    private func value<Value>(_ verdict: Verdict<Value>) -> Value? {
        guard case .applied(let value) = verdict else { return nil }
        return value
    }
}
