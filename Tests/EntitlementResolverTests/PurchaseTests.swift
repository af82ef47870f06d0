import Erasures
import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("What is told of purchases")
struct PurchaseTests {
    static let bought = StoreTransaction.period(0, signed: -10).sold(for: 9_990)

    static func told(_ store: ResolverStore, now: Timestamp = .noon) async throws -> [Letter] {
        try await store.ringAlarms(now: now)
    }

    /// A store in which ann holds what she has bought, and what was told of it.
    static func ofAnn() async throws -> (store: ResolverStore, told: [Letter]) {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(bought)
        try await store.claim(.ann, day: -9)
        return (store, try await told(store))
    }

    @Test("A purchase that is somebody's is told with its price, its app and since when it is his; once")
    func bought() async throws {
        let (store, letters) = try await Self.ofAnn()

        let told = try #require(letters.all(CustomerPurchase.self).first)
        #expect(letters.all(CustomerPurchase.self).count == 1 && letters.all(CustomerRefund.self).isEmpty)
        #expect(told.user == .ann && told.app == .tunes && told.isHeld && told.lostAt == nil && told.rank == .verified)
        #expect(told.purchasedAt == .day(-10) && told.chainBeganAt == .day(-10) && told.linkedAt == .day(-9))
        #expect(told.priceMilliunits == 9_990 && told.currency == "EUR" && told.ownership == "PURCHASED")
        #expect(told.realm == .stores && told.environment == .production)

        try await store.verify(Self.bought, id: "again")
        try await store.verify(.period(0, signed: -9).sold(for: 9_990))
        try await store.claim(.ann, day: -8)
        #expect(try await Self.told(store).isEmpty)
    }

    @Test("What nobody has claimed is told to nobody; once it is claimed, all of it is")
    func unclaimed() async throws {
        let store = try await ResolverStore.ofTunes()
        for number in [1, 0, 2] { try await store.verify(.period(number)) }
        #expect(try await Self.told(store).isEmpty)

        try await store.claim(.ann, day: 60)
        let told = try await Self.told(store).all(CustomerPurchase.self)

        #expect(told.map(\.purchasedAt).sorted() == [.day(-10), .day(20), .day(50)])
        #expect(Set(told.map(\.chainBeganAt)) == [.day(-10)] && Set(told.map(\.linkedAt)) == [.day(60)])
    }

    @Test("When the chain moves, the loser is told when he lost it, and the heir since when it is his")
    func moved() async throws {
        let (store, before) = try await Self.ofAnn()
        try await store.claim(.ben, day: 3)

        let told = try await Self.told(store, now: .day(3)).all(CustomerPurchase.self)

        let loser = try #require(told.first { $0.user == .ann })
        let heir = try #require(told.first { $0.user == .ben })
        #expect(told.count == 2)
        #expect(!loser.isHeld && loser.lostAt == .day(3) && loser.linkedAt == .day(-9))
        #expect(heir.isHeld && heir.linkedAt == .day(3))
        #expect(loser.revision > before.all(CustomerPurchase.self)[0].revision)
    }

    @Test("Who is denied the chain again later lost it when he lost it; who gets it back has it since then")
    func deniedAndBack() async throws {
        let (store, _) = try await Self.ofAnn()
        try await store.claim(.ben, .accountToken, day: 3)
        try await store.claim(.ann, day: 5)
        var told = try await Self.told(store).all(CustomerPurchase.self).filter { $0.user == .ann }
        #expect(told.map(\.lostAt) == [.day(3)])

        try await store.claim(.ann, .accountToken, day: 7)
        told = try await Self.told(store, now: .day(7)).all(CustomerPurchase.self).filter { $0.user == .ann }
        #expect(told.map(\.isHeld) == [true] && told.map(\.linkedAt) == [.day(7)] && told.map(\.lostAt) == [nil])
    }

    @Test("News that come in another order, doubled, end with the same being told")
    func newsInAnyOrder() async throws {
        let (store, _) = try await Self.ofAnn()
        var letters = try await store.verify(.period(1).sold(for: 9_990))
        letters += try await store.claim(.ben, day: 3)
        letters += try await store.claim(.ann, day: 5)
        letters += try await store.claim(.ben, day: 6)
        let source = try await ResolverStore.ofTunes()
        letters += try await source.verify(Self.bought)
        letters += try await source.claim(.ann, day: -9)
        letters = letters.filter { [LinkChanged.kind, SubscriptionChanged.kind].contains($0.kind) }
        var expected = PurchaseLedger()
        for letter in letters { try await source.settle(letter) }
        expected.take(try await Self.told(source))

        func comparable(_ ledger: PurchaseLedger) -> [PurchaseLedger.Name: CustomerPurchase] {
            ledger.purchases.mapValues { told in
                var told = told
                told.revision = 0
                return told
            }
        }
        for seed in 1...UInt64(12) {
            let other = try await ResolverStore.ofTunes()
            var random = SeededGenerator(seed: seed)
            var ledger = PurchaseLedger()
            for letter in (letters + letters).shuffled(using: &random) {
                try await other.settle(letter)
                if Bool.random(using: &random) { ledger.take(try await Self.told(other)) }
            }
            ledger.take(try await Self.told(other))

            #expect(comparable(ledger) == comparable(expected), "seed \(seed)")
        }
        #expect(expected.purchases.values.filter { $0.user == .ann }.allSatisfy { $0.lostAt == .day(6) })
    }

    @Test(
        "A refund is told, whole or in part, and is taken back when the store takes it back",
        arguments: [("REFUND_FULL", 100_000, nil), ("REFUND_PRORATED", 66_667, 66_667), (nil, nil, nil)]
            as [(
                String?, Int64?, Int64?
            )])
    func refund(type: String?, percentage: Int64?, told expected: Int64?) async throws {
        let (store, _) = try await Self.ofAnn()
        var refunded = StoreTransaction.period(0, signed: 1, revoked: 1).sold(for: 9_990)
        (refunded.revocationType, refunded.revocationPercentage) = (type, percentage)
        try await store.verify(refunded)
        let first = try await Self.told(store, now: .day(1))
        #expect(first.all(CustomerPurchase.self).isEmpty)
        let told = try #require(first.all(CustomerRefund.self).first)
        #expect(told.isRefunded && told.refundedAt == .day(1) && told.percentage == expected && told.app == .tunes)

        try await store.verify(.period(0, signed: 2).sold(for: 9_990))
        let second = try await Self.told(store, now: .day(2)).all(CustomerRefund.self)

        #expect(second.map(\.isRefunded) == [false])
        #expect(second[0].revision > told.revision && second[0].refundedAt == .day(1))
    }

    @Test("What a family shares is told as that; that it is shared no longer is no refund")
    func family() async throws {
        let store = try await ResolverStore.ofTunes()
        var shared = StoreTransaction.period(0)
        shared.ownership = "FAMILY_SHARED"
        try await store.verify(shared)
        try await store.claim(.ann, day: -9)
        let first = try await Self.told(store)
        #expect(first.all(CustomerPurchase.self).map(\.isFamilyShared) == [true])

        (shared.revokedAt, shared.revocationType, shared.signedAt) = (.day(1), "FAMILY_REVOKE", .day(1))
        try await store.verify(shared)

        #expect(try await Self.told(store).isEmpty)
    }

    @Test("Evidence that is taken back is told as if it had never been, its refund too; verified again it is back")
    func retraction() async throws {
        let (store, _) = try await Self.ofAnn()
        let refunded = StoreTransaction.period(0, signed: 1, revoked: 1).sold(for: 9_990)
        try await store.verify(refunded)
        var ledger = PurchaseLedger()
        ledger.take(try await Self.told(store))
        for (index, transaction) in [Self.bought, refunded].enumerated() {
            try await store.settle(
                Letter(
                    TransactionRetracted(
                        organisation: .demo, app: .tunes, isTest: false,
                        digest: ResolverStore.digest(of: transaction), revision: 1, transactionID: transaction.id,
                        originalTransactionID: transaction.originalID, environment: transaction.environment,
                        reason: "untrusted_chain"), id: "retracted-\(index)", at: .day(2), from: .validator))
        }
        ledger.take(try await Self.told(store, now: .day(2)))
        #expect(ledger.purchases.values.map(\.isHeld) == [false] && ledger.purchases.values.map(\.lostAt) == [nil])
        #expect(ledger.refunds.values.map(\.isRefunded) == [false])

        try await store.verify(Self.bought, revision: 2, id: "verified-again")
        ledger.take(try await Self.told(store, now: .day(3)))
        #expect(ledger.purchases.values.map(\.isHeld) == [true])
        #expect(ledger.refunds.values.map(\.isRefunded) == [false])
    }

    @Test("A receipt tells of a purchase; what it leaves out is told once a signed transaction has told it")
    func completed() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0, signed: -9.5))
        try await store.claim(.ann, day: -9)
        let first = try await Self.told(store).all(CustomerPurchase.self)
        #expect(first.map(\.priceMilliunits) == [nil])

        // Signed before the receipt was.
        try await store.verify(Self.bought)
        let second = try await Self.told(store).all(CustomerPurchase.self)

        #expect(second.map(\.priceMilliunits) == [9_990] && second.map(\.ownership) == ["PURCHASED"])
        #expect(second[0].revision > first[0].revision)
    }

    @Test("An older period that comes late is told, and that the chain began with it")
    func older() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(2))
        try await store.claim(.ann, day: -9)
        #expect(try await Self.told(store).all(CustomerPurchase.self).map(\.chainBeganAt) == [.day(50)])

        try await store.verify(.period(1))
        try await store.verify(.period(0))
        let told = try await Self.told(store).all(CustomerPurchase.self)

        // Each once, however many came in between.
        #expect(told.count == 3 && Set(told.map(\.chainBeganAt)) == [.day(-10)])
    }

    @Test("Sandbox and test apps are told apart")
    func apart() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.connect(.record(.testTunes, isTest: true))
        try await store.verify(.period(0, environment: .sandbox))
        try await store.claim(.ann, day: -9)
        let test = OriginalTransactionID(rawValue: "2000")
        try await store.verify(.period(0, of: test), app: .testTunes, isTest: true)
        try await store.claim(.ann, on: test, app: .testTunes, day: -8)

        let told = try await Self.told(store).all(CustomerPurchase.self).sorted { $0.realm < $1.realm }

        #expect(told.map(\.environment) == [.sandbox, .production])
        #expect(told.map(\.realm.rawValue) == ["", AppID.testTunes.rawValue])
        #expect(told.map(\.app) == [.tunes, .testTunes])
    }

    @Test(
        "After an erasure nothing is left of what was told, and what the user claims anew is told under higher revisions"
    )
    func erasure() async throws {
        let (store, before) = try await Self.ofAnn()
        let erased = try await store.settle(
            Letter(
                UserErase(organisation: .demo, user: .ann, by: "op"), id: "erase", at: .day(1), from: .operatorTool),
            now: .day(1))
        #expect(erased.all(UserErased.self).count == 1)
        #expect(try await Self.told(store, now: .day(1)).all(CustomerPurchase.self).isEmpty)
        let customer = Customer(.demo, .ann)
        #expect(
            try await store.database.read { try customer.rows(in: UserRows.ofUser + UserRows.ofChains, of: $0) } == [:])

        try await store.claim(.ann, day: 2)
        let told = try await Self.told(store, now: .day(2)).all(CustomerPurchase.self)

        #expect(told.map(\.linkedAt) == [.day(2)])
        #expect(told[0].revision > before.all(CustomerPurchase.self)[0].revision)
    }

    @Test("A store from before gets its purchases told when links are told again, and those of an older release too")
    func oldStore() async throws {
        let (store, _) = try await Self.ofAnn()
        _ = try await store.database.write { try $0.run("DELETE FROM told_purchases") }

        let first = try await RetellingTests.ring(store, from: 0, through: RetellingTests.minutes)
        for letter in first.flatMap(\.told) { try await store.settle(letter) }
        let told = try await Self.told(store).all(CustomerPurchase.self)
        #expect(told.map(\.app) == [.tunes])
        let again = try await RetellingTests.ring(
            store, from: RetellingTests.minutes + 1, through: 2 * RetellingTests.minutes)
        for letter in again.flatMap(\.told) { try await store.settle(letter) }

        #expect(!again.isEmpty)
        #expect(try await Self.told(store).isEmpty)
    }

    @Test("What a release told that did not name the app is told again once it is named")
    func appLater() async throws {
        let store = try await ResolverStore.ofTunes()
        var news = SubscriptionChanged(
            organisation: .demo, realm: .stores, environment: .production, originalTransactionID: .first, user: .ann,
            rank: .verified, revision: 2, transactions: [Self.bought])
        try await store.settle(Letter(news, id: "old", at: .day(-9), from: .resolver))
        #expect(try await Self.told(store).all(CustomerPurchase.self).map(\.app) == [nil])

        news.app = .tunes
        try await store.settle(Letter(news, id: "new", at: .day(-8), from: .resolver))
        #expect(try await Self.told(store).all(CustomerPurchase.self).map(\.app) == [.tunes])

        // A chain's app stays known when its link is told.
        try await store.settle(
            Letter(
                LinkChanged(
                    organisation: .demo, realm: .stores, originalTransactionID: .first, user: .ann, isHeld: true,
                    rank: .verified, revision: 1, since: .day(-9)), id: "link", at: .day(-9), from: .resolver))
        let told = try await Self.told(store).all(CustomerPurchase.self)
        #expect(told.map(\.app) == [.tunes] && told.map(\.linkedAt) == [.day(-9)])
    }
}

extension StoreTransaction {
    fileprivate func sold(for price: Int64) -> StoreTransaction {
        var sold = self
        (sold.priceMilliunits, sold.currency, sold.ownership) = (price, "EUR", "PURCHASED")
        return sold
    }
}
