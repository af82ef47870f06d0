import Foundation
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Retraction")
struct RetractionTests {
    @Test("What is taken back unlocks nothing any more, and its holder is told")
    func retracted() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, day: -9)
        try await store.verify(.period(0))
        #expect(try await store.view(.ann)?.entitlements.first?.isActive == true)

        let told = try await store.retract(.period(0))

        #expect(told.all(SubscriptionChanged.self).map(\.transactions) == [[]])
        #expect(told.all(EntitlementChanged.self).map(\.entitlement.isActive) == [false])
        let view = try await store.view(.ann)
        #expect(view?.entitlements == [])
        #expect(view?.transactions.map(\.latest) == [nil])
    }

    @Test("What other artifacts tell of the same transaction stays: the newest of them counts again")
    func fallsBack() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, day: -9)
        try await store.verify(.period(0, signed: -10))
        try await store.verify(.period(0, signed: -8))
        try await store.verify(.period(0, signed: -5, revoked: -5))
        #expect(try await store.view(.ann)?.entitlements.first?.isActive == false)

        try await store.retract(.period(0, signed: -5, revoked: -5))

        #expect(try await store.view(.ann)?.transactions.first?.latest?.signedAt == .day(-8))
        #expect(try await store.view(.ann)?.entitlements.first?.isActive == true)
        // What does not count can be taken back too; nobody has to hear of it.
        #expect(try await store.retract(.period(0, signed: -10)).isEmpty)
        try await store.retract(.period(0, signed: -8))
        #expect(try await store.view(.ann)?.entitlements == [])
    }

    @Test("A retraction that comes first is not undone by what it takes back; a later verdict is")
    func early() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, day: -9)

        try await store.retract(.period(0), revision: 1)
        try await store.verify(.period(0))
        #expect(try await store.view(.ann)?.entitlements == [])
        try await store.verify(.period(0), revision: 2)

        #expect(try await store.view(.ann)?.entitlements.first?.isActive == true)
        try await store.retract(.period(0), revision: 1)
        #expect(try await store.view(.ann)?.entitlements.first?.isActive == true)
    }

    @Test("A revocation of a transaction that is not known yet is kept as that transaction")
    func revocationFirst() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, day: -9)

        try await store.verify(.period(0, signed: -3, revoked: -4))
        try await store.verify(.period(0))

        #expect(try await store.view(.ann)?.transactions.first?.latest?.revokedAt == .day(-4))
        #expect(try await store.view(.ann)?.entitlements.first?.isActive == false)
    }

    @Test("Of a test app a retraction reaches the test app's chain, and waits while the two sides disagree")
    func testApp() async throws {
        let store = try await ResolverStore.ofTunes()

        await #expect(throws: (any Error).self) { try await store.retract(.period(0), isTest: true) }
    }

    @Test("A holder who lost the chain and got it back does not get back what was taken back in between")
    func heldAgain() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        try await store.claim(.ann, day: -9)
        try await store.claim(.ben, day: -8)
        try await store.retract(.period(0))

        try await store.claim(.ann, day: -7)

        #expect(try await store.view(.ann)?.entitlements == [])
    }

    @Test("Evidence of a store that the first release made counts as before, and can be taken back")
    func migrated() async throws {
        let old = try await OlderStore(migrations: 1) { transaction in
            try transaction.run(
                """
                INSERT INTO evidence (
                    organisation, realm, original, bucket, app, digest, environment, id, product, product_type,
                    purchased_at, expires_at, signed_at, price)
                VALUES ('demo', '', '1000', 1, 'com.example.tunes', 'digest', 'production', '1000-0', 'pro.monthly',
                    'Auto-Renewable Subscription', 1000, 2000, 1000, 9990)
                """)
        }

        let database = try await old.migrated()
        let chain = ChainID(.demo, .stores, .first)
        let found = try await database.read { try EvidenceStore.subscriptions(of: chain, in: $0) }

        #expect(found.map(\.environment) == [.production])
        let kept = try #require(found.first?.transactions.first)
        #expect(kept.expiresAt == Timestamp(clamping: 2000))
        #expect(kept.priceMilliunits == 9990)
        let hasChanged = try await database.write { transaction in
            try EvidenceStore.record(
                nil, from: .init(app: .tunes, digest: ArtifactDigest(rawValue: "digest")), revision: 1,
                of: .init(chain: chain, environment: .production, id: kept.id), bucket: Bucket.all[1],
                now: .noon, in: transaction)
        }
        #expect(hasChanged)
        #expect(
            try await database.read { try EvidenceStore.subscriptions(of: chain, in: $0) }.map(\.transactions) == [[]])
    }
}

extension ResolverStore {
    /// Takes back what ``verify(_:app:isTest:revision:id:now:)`` has told.
    @discardableResult
    fileprivate func retract(
        _ transaction: StoreTransaction, isTest: Bool = false, revision: Int = 1
    ) async throws -> [Letter] {
        let message = TransactionRetracted(
            organisation: .demo, app: .tunes, isTest: isTest, digest: Self.digest(of: transaction),
            revision: revision, transactionID: transaction.id, originalTransactionID: transaction.originalID,
            environment: transaction.environment, reason: "untrusted_chain")
        return try await settle(
            Letter(
                message, id: "retracted-\(transaction.id)-\(transaction.signedAt.rfc3339)-\(revision)",
                at: .noon, from: .validator))
    }
}
