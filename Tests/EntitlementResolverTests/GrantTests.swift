import Messages
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Grants")
struct GrantTests {
    static func subscription(
        _ transactions: [StoreTransaction], _ renewals: [StoreRenewal] = []
    ) -> EntitlementResolver.Subscription {
        EntitlementResolver.Subscription(environment: .production, transactions: transactions, renewals: renewals)
    }

    /// As `[from, until) why, then why not`, in days.
    static func told(_ subscription: EntitlementResolver.Subscription) -> [String] {
        func day(_ time: Timestamp?) -> String {
            guard let time else { return "ever" }
            let milliseconds = time.millisecondsSince1970 - Timestamp.noon.millisecondsSince1970
            return String(milliseconds / 86_400_000)
        }
        return subscription.grants.map {
            "\(day($0.period.start)) \(day($0.period.end)) \($0.reason)\($0.period.end == nil ? "" : ", \($0.endedBy)")"
        }
    }

    static func upgraded(_ number: Int, at day: Double? = nil, signed: Double) -> StoreTransaction {
        var transaction = StoreTransaction.period(number, signed: signed, revoked: day)
        transaction.isUpgraded = day == nil ? true : nil
        return transaction
    }

    /// Begins on a day, under another product.
    static func better(from day: Double) -> StoreTransaction {
        var transaction = StoreTransaction.period(0, of: .first, from: day)
        transaction.id = TransactionID(rawValue: "better")
        transaction.product = ProductID(rawValue: "pro.yearly")
        return transaction
    }

    static func signed(
        _ number: Int = 0, _ change: (inout StoreTransaction) -> Void
    ) -> StoreTransaction {
        var transaction = StoreTransaction.period(number)
        change(&transaction)
        return transaction
    }

    @Test(
        "Transactions by themselves",
        arguments: [
            ([StoreTransaction.period(0), .period(1)], ["-10 20 paid, expired", "20 50 paid, expired"]),
            ([.period(0, revoked: 5)], ["-10 5 paid, refunded"]),
            // Paid back when it was over.
            ([.period(0, signed: 40, revoked: 40), .period(1)], ["-10 20 paid, expired", "20 50 paid, expired"]),
            ([.period(0, revoked: -10)], []),
            // Replaced in its middle; by a receipt, which tells it like a refund; by nobody knows what yet.
            ([upgraded(0, signed: 6), better(from: 5)], ["-10 5 paid, switched", "5 35 paid, expired"]),
            ([upgraded(0, at: 5, signed: 6), better(from: 5)], ["-10 5 paid, switched", "5 35 paid, expired"]),
            ([upgraded(0, signed: 6)], ["-10 6 paid, switched"]),
            // Paid back: at another moment, for the same once more, and by a transaction, which tells it from a switch.
            ([.period(0, revoked: 3), better(from: 5)], ["-10 3 paid, refunded", "5 35 paid, expired"]),
            (
                [.period(0, revoked: 5), .period(0, of: .first, from: 5).named("again")],
                ["-10 5 paid, refunded", "5 35 paid, expired"]
            ),
            (
                [
                    signed {
                        $0.revokedAt = .day(5)
                        $0.revocationType = "REFUND_FULL"
                    }, better(from: 5),
                ], ["-10 5 paid, refunded", "5 35 paid, expired"]
            ),
            // From one product to the other at the end of a period.
            ([.period(0), better(from: 20)], ["-10 20 paid, switched", "20 50 paid, expired"]),
            ([signed { $0.ownership = "FAMILY_SHARED" }], ["-10 20 shared, expired"]),
            (
                [
                    signed {
                        $0.ownership = "FAMILY_SHARED"
                        $0.revokedAt = .day(3)
                    }
                ], ["-10 3 shared, no_longer_shared"]
            ),
            (
                [
                    signed {
                        $0.revokedAt = .day(3)
                        $0.revocationType = "FAMILY_REVOKE"
                    }
                ], ["-10 3 paid, no_longer_shared"]
            ),
            (
                [
                    signed {
                        $0.offerType = 1
                        $0.priceMilliunits = 0
                    }
                ], ["-10 20 trial, expired"]
            ),
            (
                [
                    signed {
                        $0.offerType = 1
                        $0.offerDiscount = "PAY_UP_FRONT"
                    }
                ], ["-10 20 offer, expired"]
            ),
            ([signed { $0.offerType = 4 }], ["-10 20 offer, expired"]),
            ([.once(.lifetime, .nonConsumable)], ["-10 ever bought"]),
            ([.once(.lifetime, .nonConsumable, revoked: 5)], ["-10 5 bought, refunded"]),
            ([.once(.lifetime, .nonRenewing, expires: 5)], ["-10 5 bought, expired"]),
            ([.once(.coins, .consumable)], []),
        ] as [([StoreTransaction], [String])])
    func transactions(_ transactions: [StoreTransaction], expected: [String]) {
        #expect(Self.told(Self.subscription(transactions)) == expected)
    }

    @Test("A chain of many periods is judged with work that grows as it does")
    func manyPeriods() {
        /// Of one product and another in turn, so that each is a switch; the fastest of three looks.
        func cost(_ periods: Int) -> Duration {
            let subscription = Self.subscription(
                (0..<periods).map { number in
                    Self.signed(number) { $0.product = ProductID(rawValue: number % 2 == 0 ? "pro" : "basic") }
                })
            return (0..<3).map { _ in
                processorTime {
                    let ends = subscription.grants.map(\.endedBy)
                    #expect(ends == Array(repeating: .switched, count: periods - 1) + [.expired])
                }
            }.min() ?? .zero
        }
        // Eight times as long; a look at every other period for each of them would cost 64 times as much.
        #expect(cost(4000) < cost(500) * 32)
    }

    @Test(
        "Grace",
        arguments: [
            (
                [StoreTransaction.period(0)], [StoreRenewal.about(0, signed: 20, grace: 36)],
                ["-10 20 paid, expired", "20 36 grace_period, billing_retry"]
            ),
            // It recovers: the new period takes the place of grace.
            (
                [.period(0), .period(1)], [.about(0, signed: 20, grace: 36), .about(1, signed: 25)],
                ["-10 20 paid, expired", "20 50 paid, expired"]
            ),
            // Over, and charged later: what was, was.
            (
                [.period(0), .period(0, of: .first, from: 40).named("later")],
                [.about(0, signed: 20, grace: 26), .about(0, signed: 26), .about(1, signed: 40)],
                ["-10 20 paid, expired", "20 26 grace_period, expired", "40 70 paid, expired"]
            ),
            // The customer leaves in the middle of it.
            (
                [.period(0)], [.about(0, signed: 20, grace: 36), .about(0, signed: 30) { $0.expirationIntent = 1 }],
                ["-10 20 paid, expired", "20 30 grace_period, cancelled"]
            ),
            // What is said of another period ends nothing.
            (
                [.period(0)], [.about(0, signed: 20, grace: 36), .about(1, signed: 25)],
                ["-10 20 paid, expired", "20 36 grace_period, expired"]
            ),
            // It is made longer, and shorter again.
            (
                [.period(0)], [.about(0, signed: 20, grace: 26), .about(0, signed: 21, grace: 36)],
                ["-10 20 paid, expired", "20 36 grace_period, billing_retry"]
            ),
            (
                [.period(0)], [.about(0, signed: 20, grace: 36), .about(0, signed: 21, grace: 26)],
                ["-10 20 paid, expired", "20 26 grace_period, billing_retry"]
            ),
            // Without the end that it is about, it is about the last that ended before, up to 28 days.
            (
                [.period(0)], [.about(0, signed: 20, grace: 36) { $0.renewsAt = nil }],
                ["-10 20 paid, expired", "20 36 grace_period, billing_retry"]
            ),
            ([.period(0)], [.about(0, signed: 60, grace: 76) { $0.renewsAt = nil }], ["-10 20 paid, billing_retry"]),
            // What was paid back is not prolonged.
            ([.period(0, revoked: 5)], [.about(0, signed: 20, grace: 36)], ["-10 5 paid, refunded"]),
            // It is over before it begins.
            ([.period(0)], [.about(0, signed: 20, grace: 20)], ["-10 20 paid, billing_retry"]),
        ] as [([StoreTransaction], [StoreRenewal], [String])])
    func grace(_ transactions: [StoreTransaction], _ renewals: [StoreRenewal], expected: [String]) {
        #expect(Self.told(Self.subscription(transactions, renewals)) == expected)
    }

    @Test(
        "Why it has run out",
        arguments: [
            (StoreRenewal.about(0, signed: 21) { $0.expirationIntent = 1 }, "cancelled"),
            (.about(0, signed: 21) { $0.expirationIntent = 2 }, "not_charged"),
            (
                .about(0, signed: 21) {
                    $0.expirationIntent = 2
                    $0.isInBillingRetry = true
                }, "billing_retry"
            ),
            (.about(0, signed: 21) { $0.expirationIntent = 3 }, "price_not_agreed"),
            (.about(0, signed: 21) { $0.expirationIntent = 4 }, "expired"),
            (.about(0, signed: 10) { $0.willRenew = false }, "expired"),
        ])
    func reasons(renewal: StoreRenewal, expected: String) {
        #expect(Self.told(Self.subscription([.period(0)], [renewal])) == ["-10 20 paid, \(expected)"])
    }

    @Test("While something of the chain lasts for ever, nothing of it has run out for what the store told last")
    func nothingIsOver() {
        let left = StoreRenewal.about(0, signed: 21) { $0.expirationIntent = 1 }

        let told = Self.told(Self.subscription([.period(0), .once(.lifetime, .nonConsumable)], [left]))

        #expect(told == ["-10 20 paid, expired", "-10 ever bought"])
    }

    @Test("What was said before a period began says nothing about it, unless it names its end")
    func outlook() {
        let before = StoreRenewal.about(0, signed: 19) { $0.expirationIntent = 1 }
        let ahead = StoreRenewal.about(1, signed: 19)

        #expect(Self.subscription([.period(0)], [before]).outlook == before)
        #expect(Self.subscription([.period(0), .period(1)], [before]).outlook == nil)
        #expect(Self.subscription([.period(0), .period(1)], [ahead]).outlook == ahead)
        #expect(Self.told(Self.subscription([.period(1)], [before])) == ["20 50 paid, expired"])
    }

    @Test("What comes is told with the entitlement: whether it renews, and as what")
    func whatComes() {
        let switching = StoreRenewal.about(0, signed: 5) { $0.nextProduct = ProductID(rawValue: "pro.yearly") }
        let leaving = StoreRenewal.about(0, signed: 6) {
            $0.willRenew = false
            $0.nextProduct = ProductID(rawValue: "pro.yearly")
        }
        for (renewals, willRenew, renewsAs) in [
            ([], nil, nil), ([switching], true, "pro.yearly"), ([switching, leaving], false, nil),
        ] as [([StoreRenewal], Bool?, String?)] {
            let holding = Holding(
                chain: ChainID(.demo, .stores, .first),
                subscriptions: [
                    .init(revision: 1, rank: .verified, subscription: Self.subscription([.period(0)], renewals))
                ])
            let state = Entitlements(
                of: [holding], for: .record(), in: .production, mapping: [.monthly: [.pro]]
            ).states(at: .noon).first

            #expect(state?.willRenew == willRenew)
            #expect(state?.renewsAs?.rawValue == renewsAs)
        }
    }

    @Test("Beside what is kept for ever a subscription decides nothing while both run")
    func lifetimeBeside() {
        let lifetime = Holding(
            chain: ChainID(.demo, .stores, OriginalTransactionID(rawValue: "2000")),
            subscriptions: [
                .init(
                    revision: 1, rank: .verified,
                    subscription: Self.subscription([.once(.lifetime, .nonConsumable, day: 0)]))
            ])
        let monthly = Holding(
            chain: ChainID(.demo, .stores, .first),
            subscriptions: [.init(revision: 1, rank: .verified, subscription: Self.subscription([.period(0)]))])
        let entitlements = Entitlements(
            of: [lifetime, monthly], for: .record(), in: .production, mapping: [.monthly: [.pro], .lifetime: [.pro]])

        #expect(entitlements.states(at: .day(-1)).map(\.product) == [.monthly])
        #expect(entitlements.states(at: .day(-1)).map(\.until) == [nil])
        #expect(entitlements.states(at: .day(1)).map(\.product) == [.lifetime])
        #expect(entitlements.states(at: .day(30)).map(\.reason) == [.bought])
        #expect(entitlements.grants(of: .pro).map(\.chain.original.rawValue) == ["1000", "2000"])
    }

    @Test("What a receipt leaves out is as a signed transaction told it, however new the receipt is")
    func receipts() {
        var signed = StoreTransaction.period(0, signed: 1)
        signed.ownership = "PURCHASED"
        signed.offerType = 3
        signed.offerID = "SPRING"
        signed.isUpgraded = true
        signed.revocationType = "REFUND_PRORATED"
        signed.revokedAt = .day(1)
        let receipt = StoreTransaction.period(0, signed: 9)
        let app = EntitlementResolver.Evidence.Source(app: .tunes, digest: ArtifactDigest(rawValue: "a"))
        let other = EntitlementResolver.Evidence.Source(app: .tunes, digest: ArtifactDigest(rawValue: "b"))

        let known = CountingEvidence(of: [.init(signed, from: app), .init(receipt, from: other)]).transaction

        #expect(known?.signedAt == .day(9))
        #expect(known?.offerID == "SPRING")
        #expect(known?.isUpgraded == true)
        // It has been taken back no more, and there is no way in which it was.
        #expect(known?.revokedAt == nil)
        #expect(known?.revocationType == nil)
        #expect(CountingEvidence(of: [.init(receipt, from: other)]).transaction == receipt)
    }
}

extension StoreTransaction {
    fileprivate func named(_ id: String) -> StoreTransaction {
        var transaction = self
        transaction.id = TransactionID(rawValue: id)
        return transaction
    }
}
