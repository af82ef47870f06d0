import Crypto
import Foundation
import JSON
import Messages
import StoreArtifacts
import StoreSimulator
import Testing

@testable import ReceiptValidator

/// What artifacts of the other kinds tell, under verified ids.
@Suite("Facts")
struct FactsTests {
    static let noon = ValidatorStore.noon

    // MARK: Renewal information and downloads

    @Test("Renewal information is published under its chain, with everything that a rule may need")
    func renewal() async throws {
        let store = try await ValidatorStore.connected()
        var simulated = SimulatedStore(bundleID: ValidatorStore.testApp.rawValue)
        var payload = try #require(simulated.buy(.subscription("pro.monthly"), at: Self.noon.date).renewal)
        payload.autoRenewStatus = 0
        payload.autoRenewProductID = "pro.yearly"
        payload.expirationIntent = 2
        payload.isInBillingRetry = true
        payload.gracePeriodExpiresDate = Self.noon.date + 86_400
        payload.priceIncreaseStatus = 0
        payload.offerType = 2
        payload.offerIdentifier = "winter"

        let outcome = try await store.submit(try store.authority.signRenewal(payload), kind: .renewal)

        let told = try #require(try outcome.all(RenewalVerified.self).first)
        #expect(told.isTest)
        #expect(told.key == "demo/\(payload.originalTransactionID ?? "")")
        #expect(told.renewal.environment == .sandbox)
        #expect(told.renewal.signedAt == Self.noon)
        #expect(told.renewal.product?.rawValue == "pro.monthly")
        #expect(told.renewal.nextProduct?.rawValue == "pro.yearly")
        #expect(told.renewal.willRenew == false)
        #expect(told.renewal.expirationIntent == 2)
        #expect(told.renewal.isInBillingRetry == true)
        #expect(told.renewal.graceExpiresAt == Self.noon + .seconds(86_400))
        #expect(told.renewal.priceIncreaseStatus == 0)
        #expect(told.renewal.offerID == "winter")
        #expect(told.renewal.renewsAt == payload.renewalDate.map(Timestamp.init))
        #expect(told.renewal.priceMilliunits == 9_990)
        #expect(told.renewal.recentStartAt == Self.noon)
        #expect(outcome.published.count == 1)
    }

    // MARK: Offers and revocations

    @Test("A transaction tells at which offer it was bought, and how it was taken back")
    func offerAndRevocation() async throws {
        let store = try await ValidatorStore.connected()
        var simulated = SimulatedStore(bundleID: ValidatorStore.testApp.rawValue)
        var purchase = simulated.buy(
            .subscription("pro.monthly"), at: Self.noon.date,
            offer: StoreOffer(.code, "SPRING", period: .days(28), price: 990))
        purchase.revoke(0, at: Self.noon.date, reason: 1, percentage: 66_667)

        let outcome = try await store.submit(try store.authority.signTransaction(purchase.latest))

        let told = try #require(try outcome.all(TransactionVerified.self).first).transaction
        #expect(told.offerType == 3)
        #expect(told.offerID == "SPRING")
        #expect(told.offerDiscount == "PAY_UP_FRONT")
        #expect(told.revocationReason == 1)
        #expect(told.revocationType == "REFUND_PRORATED")
        #expect(told.revocationPercentage == 66_667)
    }

    @Test(
        "A receipt tells of trials, introductory prices and promotional offers",
        arguments: [
            (StoreOffer.trial, 1, nil, "FREE_TRIAL"),
            (StoreOffer(.introductory, period: .days(14), price: 1_990), 1, nil, nil),
            (StoreOffer(.promotional, "stay", period: .days(28), price: 4_990), 2, "stay", nil),
            (StoreOffer(.code, "SPRING", period: .days(28), price: 990), nil, nil, nil),
        ] as [(StoreOffer, Int?, String?, String?)])
    func offersInReceipts(offer: StoreOffer, type: Int?, id: String?, discount: String?) async throws {
        let store = try await ValidatorStore.connected()
        var simulated = SimulatedStore(bundleID: ValidatorStore.testApp.rawValue)
        let purchase = simulated.buy(.subscription("pro.monthly"), at: Self.noon.date, offer: offer)
        var receipt = ReceiptDesign(bundleID: ValidatorStore.testApp.rawValue, createdAt: Self.noon.date)
        receipt.purchases = [ReceiptPurchase(purchase.latest)]

        let outcome = try await store.submit(
            Base64.standard.encode(try store.authority.signReceipt(receipt)), kind: .receipt)

        let told = try #require(try outcome.all(TransactionVerified.self).first).transaction
        #expect(told.offerType == type)
        #expect(told.offerID == id)
        #expect(told.offerDiscount == discount)
    }

    @Test("Renewal information names no app: a claim that comes with it is the caller's word")
    func claimWithRenewal() async throws {
        let store = try await ValidatorStore.connected()
        var simulated = SimulatedStore(bundleID: ValidatorStore.testApp.rawValue)
        let payload = try #require(simulated.buy(.subscription("pro.monthly"), at: Self.noon.date).renewal)

        let outcome = try await store.submit(
            try store.authority.signRenewal(payload), claim: .by("ann"), kind: .renewal)

        #expect(try outcome.all(LinkClaim.self).map(\.rank) == [.attested])
        #expect(try outcome.all(LinkClaim.self).map(\.originalTransactionID.rawValue) == ["raw"])
    }

    @Test("A download of the app has a verdict and tells nothing")
    func appTransaction() async throws {
        let store = try await ValidatorStore.connected()
        let payload = """
            {"receiptType":"Sandbox","bundleId":"\(ValidatorStore.testApp)","applicationVersion":"1",\
            "receiptCreationDate":\(Self.noon.millisecondsSince1970),"signedDate":\(Self.noon.millisecondsSince1970),\
            "originalApplicationVersion":"1","deviceVerification":"AAAA","deviceVerificationNonce":"x"}
            """

        let outcome = try await store.submit(
            try store.authority.sign(Array(payload.utf8)), kind: .appTransaction)

        #expect(outcome.refusal == nil)
        #expect(outcome.published.isEmpty)
    }

    // MARK: Receipts

    private func receipt(
        from store: ValidatorStore, environment: String = "Production", _ purchases: [ReceiptPurchase]
    ) throws -> String {
        var design = ReceiptDesign(bundleID: ValidatorStore.testApp.rawValue, createdAt: Self.noon.date)
        design.environment = environment
        design.purchases = purchases
        return Base64.standard.encode(try store.authority.signReceipt(design))
    }

    private func purchase(
        _ id: String, of original: String? = nil, product: String = "pro.monthly", day: Double = 0,
        change: (inout ReceiptPurchase) -> Void = { _ in }
    ) -> ReceiptPurchase {
        var purchase = ReceiptPurchase(
            of: product, transactionID: id, purchaseDate: Self.noon.date + day * 86_400)
        purchase.originalTransactionID = original ?? id
        change(&purchase)
        return purchase
    }

    @Test("A receipt tells one transaction for each purchase in it, signed when the receipt was made")
    func receipt() async throws {
        let store = try await ValidatorStore.connected()
        let text = try receipt(
            from: store,
            [
                purchase("12", of: "11", day: -30) {
                    $0.expiresDate = Self.noon.date
                    $0.productType = 3
                },
                purchase("13", of: "11") {
                    $0.expiresDate = Self.noon.date + 30 * 86_400
                    $0.cancellationDate = Self.noon.date + 86_400
                },
                purchase("21", product: "coins") {
                    $0.productType = 1
                    $0.quantity = 7
                },
            ])

        let outcome = try await store.submit(text, kind: .receipt)

        let told = try outcome.all(TransactionVerified.self).sorted { $0.transaction.id < $1.transaction.id }
        #expect(outcome.refusal == nil)
        #expect(told.map(\.key) == ["demo/11", "demo/11", "demo/21"])
        #expect(told.allSatisfy { $0.transaction.signedAt == Self.noon && $0.isTest })
        #expect(told.allSatisfy { $0.transaction.environment == .production })
        #expect(told[0].transaction.productType == .autoRenewable)
        #expect(told[0].transaction.expiresAt == Self.noon)
        #expect(told[1].transaction.revokedAt == Self.noon + .seconds(86_400))
        #expect(told[2].transaction.productType == .consumable)
        #expect(told[2].transaction.quantity == 7)
        #expect(Set(told.map(\.digest)).count == 1)
    }

    @Test("A purchase that was taken back on a day that nobody can read never counted")
    func unreadableCancellation() async throws {
        let store = try await ValidatorStore.connected()
        let text = try receipt(
            from: store, [purchase("51") { $0.changes.replace(with: .ascii(1712, "yesterday")) }])

        let told = try await store.submit(text, kind: .receipt).all(TransactionVerified.self)

        #expect(told.map(\.transaction.revokedAt) == [Self.noon])
    }

    @Test(
        "A purchase without an id of its own is passed over; one said twice counts as taken back if one of the two is")
    func unusable() async throws {
        let store = try await ValidatorStore.connected()
        let text = try receipt(
            from: store,
            [
                purchase("0"), purchase(""), purchase("0", of: "31"), purchase("32", product: ""),
                purchase("41") { $0.cancellationDate = Self.noon.date }, purchase("41"),
            ])

        let outcome = try await store.submit(text, kind: .receipt)

        let told = try outcome.all(TransactionVerified.self).map(\.transaction)
        #expect(told.map(\.id.rawValue) == ["41"])
        #expect(told.map(\.revokedAt) == [Self.noon])
    }

    @Test("Of more purchases than anybody has the newest 5,000 are told")
    func many() async throws {
        let store = try await ValidatorStore.connected()
        let text = try receipt(from: store, (0..<5_003).map { purchase("\($0 + 100)", day: Double($0)) })

        let outcome = try await store.submit(text, kind: .receipt)

        let told = try outcome.all(TransactionVerified.self).compactMap { Int($0.transaction.id.rawValue) }
        #expect(told.count == 5_000)
        #expect(told.min() == 103)
    }

    @Test(
        "A claim with a receipt is as good as the receipt for a transaction in it, by either of its ids, and else the caller's word",
        arguments: [
            ("11", "11", ClaimRank.verified), ("12", "11", .verified), ("99", "99", .attested), ("0", "0", .attested),
        ])
    func claim(named: String, original: String, rank: ClaimRank) async throws {
        let store = try await ValidatorStore.connected()
        let text = try receipt(from: store, [purchase("12", of: "11"), purchase("21"), purchase("0")])

        let outcome = try await store.submit(
            text,
            claim: TransactionClaim(
                user: AppUserID(rawValue: "ann"), originalTransactionID: OriginalTransactionID(rawValue: named),
                trust: .attested),
            kind: .receipt)

        let claim = try #require(try outcome.all(LinkClaim.self).first)
        #expect(claim.originalTransactionID.rawValue == original)
        #expect(claim.rank == rank)
    }

    @Test(
        "A receipt is from where it says; what it says in another word is unknown",
        arguments: [
            ("Production", StoreEnvironment.production), ("ProductionSandbox", .sandbox), ("Sandbox", .sandbox),
            ("Moon", .unknown),
        ])
    func environments(apple: String, ours: StoreEnvironment) async throws {
        let store = try await ValidatorStore.connected()

        let outcome = try await store.submit(
            try receipt(from: store, environment: apple, [purchase("11")]), kind: .receipt)

        #expect(try outcome.all(TransactionVerified.self).map(\.transaction.environment) == [ours])
    }

    @Test("A receipt of a root that the app does not believe is refused, in an app of the stores any but Apple's")
    func strangers() async throws {
        let store = try await ValidatorStore.connected()
        var design = ReceiptDesign(bundleID: ValidatorStore.app.rawValue, createdAt: Self.noon.date)
        design.purchases = [purchase("11")]
        let text = Base64.standard.encode(try store.authority.signReceipt(design))
        let forged = Base64.standard.encode(try TestAuthority.make().signReceipt(design))

        #expect(
            try await store.submit(text, for: ValidatorStore.app, kind: .receipt, id: "1").refusal?.reason
                == "untrusted_chain")
        #expect(try await store.submit(forged, kind: .receipt, id: "2").refusal?.reason == "untrusted_chain")
    }
}
