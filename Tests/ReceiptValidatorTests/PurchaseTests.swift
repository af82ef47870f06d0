import Crypto
import Foundation
import JSON
import Messages
import StoreSimulator
import Testing

@testable import ReceiptValidator

/// Purchases of Google Play and AppCoins, which an app's own keys sign.
@Suite("Signed purchases")
struct PurchaseTests {
    static let noon = ValidatorStore.noon

    private func connected() async throws -> ValidatorStore {
        let store = try await ValidatorStore()
        try await store.connect(ValidatorStore.app, purchaseKeys: [try store.purchaseKey])
        return store
    }

    private func text(
        from store: ValidatorStore, state: Int64 = 0, autoRenewing: Bool? = nil, order: String? = "GPA.1",
        app: AppID = ValidatorStore.app, signedBy other: TestAuthority? = nil
    ) throws -> String {
        var design = SignedPurchaseDesign(
            packageName: app.rawValue, productID: "coins", purchaseToken: "token-1", orderID: order,
            purchasedAt: Self.noon.date)
        design.state = state
        design.autoRenewing = autoRenewing
        return String(
            decoding: try JSONCoding.encode(try (other ?? store.authority).signPurchase(design)), as: UTF8.self)
    }

    @Test("A one-time purchase is a transaction: its token names the chain, its order the transaction")
    func once() async throws {
        let store = try await connected()

        let outcome = try await store.submit(
            try text(from: store), for: ValidatorStore.app,
            claim: TransactionClaim(
                user: AppUserID(rawValue: "ann"), originalTransactionID: OriginalTransactionID(rawValue: "token-1"),
                trust: .unverified),
            kind: .purchase)

        let told = try #require(try outcome.all(TransactionVerified.self).first)
        #expect(told.transaction.id.rawValue == "GPA.1")
        #expect(told.key == "demo/token-1")
        #expect(told.transaction.product.rawValue == "coins")
        #expect(told.transaction.environment == .production)
        #expect(told.transaction.purchasedAt == Self.noon)
        #expect(told.transaction.revokedAt == nil)
        #expect(!told.isTest)
        #expect(try outcome.all(LinkClaim.self).map(\.rank) == [.verified])
    }

    @Test("Without an order, as in Google's tests, the token stands in for it")
    func withoutOrder() async throws {
        let store = try await connected()

        let outcome = try await store.submit(
            try text(from: store, order: nil), for: ValidatorStore.app, kind: .purchase)

        #expect(try outcome.all(TransactionVerified.self).map(\.transaction.id.rawValue) == ["token-1"])
    }

    @Test(
        "One that was cancelled or paid back is told as taken back; one that is not paid yet is not told",
        arguments: [
            (1, true), (2, true), (4, nil), (9, nil),
        ])
    func states(state: Int64, isRevoked: Bool?) async throws {
        let store = try await connected()

        let outcome = try await store.submit(
            try text(from: store, state: state), for: ValidatorStore.app, kind: .purchase)

        #expect(outcome.refusal == nil)
        let told = try outcome.all(TransactionVerified.self)
        #expect(told.map { $0.transaction.revokedAt == Self.noon } == (isRevoked.map { [$0] } ?? []))
    }

    @Test(
        "A subscription does not say until when it runs: it is genuine, and nothing is told", arguments: [true, false])
    func subscription(autoRenewing: Bool) async throws {
        let store = try await connected()

        let outcome = try await store.submit(
            try text(from: store, autoRenewing: autoRenewing), for: ValidatorStore.app, kind: .purchase)

        #expect(outcome.refusal == nil)
        #expect(outcome.published.isEmpty)
    }

    @Test("The key that comes with a purchase is never believed, and without keys of the app's none is")
    func ownKey() async throws {
        let store = try await connected()
        let forged = try text(from: store, signedBy: try TestAuthority.make())
        let genuine = try text(from: store)
        try await store.connect(ValidatorStore.testApp, testRoots: [store.rootText])

        #expect(
            try await store.submit(forged, for: ValidatorStore.app, kind: .purchase, id: "1").refusal?.reason
                == "bad_signature")
        #expect(
            try await store.submit(genuine, for: ValidatorStore.testApp, kind: .purchase, id: "2").refusal?.reason
                == "bad_key")
    }

    @Test("A purchase of another app is refused, though the key may be the same")
    func wrongApp() async throws {
        let store = try await connected()
        let foreign = try text(from: store, app: AppID(rawValue: "com.example.radio"))

        #expect(
            try await store.submit(foreign, for: ValidatorStore.app, kind: .purchase).refusal?.reason == "wrong_app")
    }

    @Test("When an app's keys were replaced, what the old ones signed is taken back as soon as it is judged anew")
    func keysReplaced() async throws {
        let store = try await connected()
        let text = try text(from: store)
        try await store.submit(text, for: ValidatorStore.app, kind: .purchase)
        let other = try await ValidatorStore()
        try await store.connect(ValidatorStore.app, purchaseKeys: [try other.purchaseKey], version: 2)

        let page = try await store.page(onlyTurning: true)
        let (kept, outcome) = try await store.reverify(text, for: ValidatorStore.app, kind: .purchase)

        #expect(page?.artifacts.map(\.anew?.reason) == ["bad_signature"])
        #expect(kept?.verdict.reason == "bad_signature")
        #expect(try outcome.all(TransactionRetracted.self).map(\.transactionID.rawValue) == ["GPA.1"])
        #expect(try outcome.all(TransactionRetracted.self).map(\.key) == ["demo/token-1"])
    }
}

extension ValidatorStore {
    /// With which the authority signs purchases.
    var purchaseKey: String { get throws { Base64.standard.encode(try authority.purchaseKey.publicKey.der) } }
}
