import Messages
import TestSupport
import Testing

@testable import PaywallExperiments

/// What one purchase counts for, case by case.
@Suite("What purchases count for")
struct OutcomeTests {
    static let (start, day) = (OutcomeFacts.start, OutcomeFacts.day)

    static func told(_ change: (inout CustomerPurchase) -> Void = { _ in }) -> CustomerPurchase {
        var told = CustomerPurchase(
            organisation: OrganisationID(rawValue: "demo"), realm: .stores, environment: .production,
            user: AppUserID(rawValue: "user"), transaction: TransactionID(rawValue: "1"),
            originalTransaction: OriginalTransactionID(rawValue: "1"), product: OutcomeFacts.monthly,
            purchasedAt: start,
            chainBeganAt: start, rank: .verified, linkedAt: start, isHeld: true, revision: 1)
        told.priceMilliunits = 9_990
        told.currency = "USD"
        change(&told)
        return told
    }

    static func refund(_ change: (inout CustomerRefund) -> Void = { _ in }) -> CustomerRefund {
        let told = told()
        var refund = CustomerRefund(
            organisation: told.organisation, realm: told.realm, environment: told.environment, user: told.user,
            transaction: told.transaction, originalTransaction: told.originalTransaction, isRefunded: true,
            refundedAt: start + day, revision: 1)
        change(&refund)
        return refund
    }

    @Test("A link counts that was made within 30 days of the purchase, to the millisecond", arguments: [0, 1])
    func linked(late: Int) {
        let purchase = Purchase(
            told: Self.told { $0.linkedAt = Self.start + Self.day * 30 + .milliseconds(late) }, spans: [], refund: nil)

        #expect(purchase.counts == (late == 0))
    }

    @Test(
        "A link that moves within 30 days takes the purchase with it; one that moves later leaves it",
        arguments: [0, 1])
    func moved(late: Int) {
        let end = Self.start + Self.day * 30
        let loser = Self.told {
            $0.isHeld = false
            $0.lostAt = end + .milliseconds(late)
        }
        let winner = Self.told { $0.linkedAt = end + .milliseconds(late) }

        #expect(Purchase(told: loser, spans: [], refund: nil).counts == (late == 1))
        #expect(Purchase(told: winner, spans: [], refund: nil).counts == (late == 0))
    }

    @Test("Who had it when the 30 days were over keeps it, though he has lost it and got it back since")
    func back() {
        let told = Self.told { $0.linkedAt = Self.start + Self.day * 60 }
        let span = Purchase.Span(linkedAt: Self.start, lostAt: Self.start + Self.day * 40)

        #expect(!Purchase(told: told, spans: [], refund: nil).counts)
        #expect(Purchase(told: told, spans: [span], refund: nil).counts)
    }

    @Test("What a family shares, and what is nobody's any more, is no purchase of his")
    func none() {
        let shared = Self.told { $0.ownership = "FAMILY_SHARED" }
        let gone = Self.told { $0.isHeld = false }

        #expect(!Purchase(told: shared, spans: [], refund: nil).counts)
        #expect(!Purchase(told: gone, spans: [], refund: nil).counts)
    }

    @Test("A purchase counts in the app that it was bought in; a test app's in that app alone")
    func app() {
        let other = AppID(rawValue: "com.example.other")
        let here = Purchase(told: Self.told { $0.app = OutcomeFacts.app }, spans: [], refund: nil)
        let anywhere = Purchase(told: Self.told(), spans: [], refund: nil)
        let test = Purchase(told: Self.told { $0.realm = Realm(OutcomeFacts.app) }, spans: [], refund: nil)

        #expect(here.isOf(OutcomeFacts.app) && !here.isOf(other))
        #expect(anywhere.isOf(OutcomeFacts.app) && anywhere.isOf(other))
        #expect(test.isOf(OutcomeFacts.app) && !test.isOf(other))
    }

    @Test(
        "What was paid back is taken off, in part or as a whole, unless that was taken back",
        arguments: [
            (nil, true, 9_990, .full), (100_000, true, 9_990, .full), (50_000, true, 4_995, .partial),
            (0, true, 0, .partial), (250_000, true, 9_990, .full), (-5, true, 0, .partial), (nil, false, 0, nil),
        ] as [(Int64?, Bool, Int64, OutcomeCredit.Purchase.Refund?)])
    func refunded(percentage: Int64?, isRefunded: Bool, amount: Int64, sort: OutcomeCredit.Purchase.Refund?) {
        let refund = Self.refund {
            $0.percentage = percentage
            $0.isRefunded = isRefunded
        }

        let credit = Purchase(told: Self.told(), spans: [], refund: refund).credit(by: .attested)

        #expect(credit.refundedMilliunits == amount)
        #expect(credit.refund == sort)
        #expect(credit.paidMilliunits == 9_990)
    }

    @Test("Prices that nobody pays stop no sum", arguments: [Int64.max, .min, -1])
    func price(milliunits: Int64) {
        let told = Self.told { $0.priceMilliunits = milliunits }

        let credit = Purchase(told: told, spans: [], refund: Self.refund()).credit(by: .attested)

        #expect((0...Purchase.mostMilliunits).contains(credit.paidMilliunits ?? -1))
        #expect((0...Purchase.mostMilliunits).contains(credit.refundedMilliunits))
    }

    @Test("A price without a currency is none")
    func currency() {
        let credit = Purchase(told: Self.told { $0.currency = nil }, spans: [], refund: nil).credit(by: .attested)

        #expect(credit.paidMilliunits == nil && credit.currency == nil)
    }

    @Test("A renewal is no conversion; it counts from the beginning of its chain")
    func renewal() {
        let told = Self.told { $0.purchasedAt = Self.start + Self.day * 30 }
        let purchase = Purchase(told: told, spans: [], refund: nil)

        #expect(!purchase.credit(by: .attested).isFirst)
        #expect(purchase.chainBeganAt == Self.start)
    }

    @Test("A purchase that he loses and gets back counts for the install again: each telling is above the one before")
    func regained() async throws {
        let rig = try await PaywallRig()
        let exposed = PaywallExposed(
            organisation: PaywallRig.organisation, app: PaywallRig.app, user: Self.told().user, namedAt: Self.start,
            install: InstallID(rawValue: "i"), experiment: ExperimentID(rawValue: "one"),
            variant: VariantKey(rawValue: "b"), epoch: 1, environment: .production, trust: .attested,
            exposedAt: Self.start - Self.day)
        try await rig.run(TakeExposure(), exposed, at: 1)
        var credits: [OutcomeCredit] = []
        for (number, isHeld) in [true, false, true].enumerated() {
            let told = Self.told {
                $0.isHeld = isHeld
                $0.linkedAt = Self.start + Self.day * number
                $0.revision = number + 1
            }
            credits += try await rig.run(TakePurchase(), told, at: 2 + number).all(OutcomeCredit.self)
        }

        #expect(credits.map { $0.purchase != nil } == [true, false, true])
        #expect(credits.map(\.install.rawValue) == ["i", "i", "i"])
        #expect(Set(credits.map(\.revision)).count == 3)
        #expect(credits.map(\.revision) == credits.map(\.revision).sorted())
    }
}
