import Messages
import Messaging
import SQLite
import Testing
import TestSupport

@testable import EntitlementResolver

@Suite("Order")
struct OrderTests {
    static let second = OriginalTransactionID(rawValue: "2000")
    static let third = OriginalTransactionID(rawValue: "3000")
    static let sandbox = OriginalTransactionID(rawValue: "4000")
    static let forged = OriginalTransactionID(rawValue: "5000")
    static let chains = [OriginalTransactionID.first, second, third, sandbox, forged]
    static let users: [AppUserID] = [.ann, .ben, .stranger]

    /// Everything that callers, stores and operators say in this play, for one organisation.
    static func script(for organisation: OrganisationID) throws -> [Letter] {
        var letters: [Letter] = []
        func send(_ message: some Message, day: Double, from author: BrokerUser) throws {
            letters.append(
                try Letter(message, id: "\(organisation)-\(letters.count + 100)", at: .day(day), from: author))
        }
        func claim(
            _ user: AppUserID, _ rank: ClaimRank, on original: OriginalTransactionID, app: AppID = .tunes, day: Double
        ) throws {
            try send(
                LinkClaim(
                    organisation: organisation, app: app, originalTransactionID: original, user: user, rank: rank),
                day: day, from: rank == .unverified ? .edge : .validator)
        }
        func verify(_ transaction: StoreTransaction, _ digest: String = "d", revision: Int? = nil) throws {
            try send(
                TransactionVerified(
                    organisation: organisation, app: .tunes, isTest: false, digest: ArtifactDigest(rawValue: digest),
                    transaction: transaction, revision: revision),
                day: 0, from: .validator)
        }
        func retract(_ transaction: StoreTransaction, _ digest: String, revision: Int) throws {
            try send(
                TransactionRetracted(
                    organisation: organisation, app: .tunes, isTest: false, digest: ArtifactDigest(rawValue: digest),
                    revision: revision, transactionID: transaction.id, originalTransactionID: transaction.originalID,
                    environment: transaction.environment, reason: "untrusted_chain"),
                day: 0, from: .validator)
        }

        func foretell(_ renewal: StoreRenewal, _ digest: String = "r") throws {
            try send(
                RenewalVerified(
                    organisation: organisation, app: .tunes, isTest: false,
                    digest: ArtifactDigest(rawValue: "\(digest)-\(renewal.signedAt)"), renewal: renewal),
                day: 0, from: .validator)
        }
        func retract(_ renewal: StoreRenewal, _ digest: String, revision: Int) throws {
            try send(
                RenewalRetracted(
                    organisation: organisation, app: .tunes, isTest: false,
                    digest: ArtifactDigest(rawValue: "\(digest)-\(renewal.signedAt)"), revision: revision,
                    originalTransactionID: renewal.originalID, environment: renewal.environment,
                    reason: "untrusted_chain"),
                day: 0, from: .validator)
        }

        try send(AppChanged(record: .record(of: organisation)), day: -100, from: .edge)
        try send(
            AppChanged(record: .record(.radio, of: organisation, policy: .moveIfInactive)), day: -100, from: .edge)
        for product in [ProductID.monthly, .lifetime] {
            let mapping = ProductMapping(
                organisation: organisation, app: .tunes, product: product, entitlements: [.pro], version: 1,
                changedAt: .day(-50))
            try send(MappingChanged(mapping: mapping), day: -50, from: .resolver)
        }

        // A subscription that moves from hand to hand; its periods are signed anew, and the second one is taken back.
        try verify(.period(0))
        try verify(.period(1))
        try verify(.period(0, signed: 25), "d0-anew")
        try verify(.period(1, signed: 30, revoked: 29), "d1-refund")
        try verify(.period(1, signed: 30), "d1-anew")
        // What becomes of it: said twice, taken back, and forged.
        try foretell(.about(0, signed: -10))
        try foretell(.about(1, signed: 50, grace: 56))
        try foretell(.about(1, signed: 51, grace: 56), "grace-anew")
        try foretell(.about(1, signed: 54) { $0.expirationIntent = 1 })
        try foretell(.about(1, signed: 70, grace: 99), "forged-grace")
        try retract(.about(1, signed: 70, grace: 99), "forged-grace", revision: 1)
        try claim(.ann, .unverified, on: .first, day: -9)
        try claim(.ben, .verified, on: .first, day: -8)
        try claim(.ann, .verified, on: .first, day: 1)
        try claim(.stranger, .verified, on: .first, day: 2)
        try claim(.ann, .verified, on: .first, day: 3)
        try claim(.ben, .attested, on: .first, day: 4)

        // Claimed through an app whose links stay while the subscription runs, which has a gap from day 20 to 50.
        try verify(.period(0, of: second))
        try verify(.period(2, of: second))
        try claim(.ann, .verified, on: second, app: .radio, day: -9)
        try claim(.ben, .verified, on: second, app: .radio, day: 10)
        try claim(.ben, .verified, on: second, app: .radio, day: 30)
        try claim(.ann, .verified, on: second, app: .radio, day: 55)

        // Bought once, and tied to ben by the store itself; and something from the sandbox.
        try verify(.once(.lifetime, .nonConsumable).with(original: third))
        try claim(.ben, .accountToken, on: third, day: -3)
        try claim(.ann, .verified, on: third, day: -2)
        try verify(.period(0, of: sandbox, environment: .sandbox))
        try claim(.ann, .attested, on: sandbox, day: -1)

        // Verdicts that turn. One period was told by a forgery too, which would make it longer; another one was told by a
        // forgery alone; a third was taken for one, and was none.
        let longer = StoreTransaction.period(0, signed: 40).expiring(day: 9_000)
        try verify(longer, "forgery")
        try retract(longer, "forgery", revision: 1)
        try verify(.period(3), "forgery")
        try retract(.period(3), "forgery", revision: 1)
        try verify(.period(2), "mistaken")
        try retract(.period(2), "mistaken", revision: 1)
        try verify(.period(2), "mistaken", revision: 2)
        // And told again by the same artifact, which is read better now.
        try verify(.period(4), "misread")
        try verify(.period(4).expiring(day: 120), "misread", revision: 1)
        // Of a whole chain nothing is left, and its holder changed in between.
        try verify(.once(.lifetime, .nonConsumable).with(original: forged), "forgery")
        try verify(.period(0, of: forged, environment: .sandbox), "forgery")
        try claim(.ann, .verified, on: forged, day: -5)
        try claim(.ben, .verified, on: forged, day: -4)
        try claim(.ann, .verified, on: forged, day: -3)
        try retract(.once(.lifetime, .nonConsumable).with(original: forged), "forgery", revision: 1)
        try retract(.period(0, of: forged, environment: .sandbox), "forgery", revision: 1)

        func identify(_ name: AttributeValue, day: Double) throws {
            try send(
                UserIdentify(
                    organisation: organisation, app: .tunes, user: .ann, platform: "ios", attributes: ["name": name],
                    trust: .attested),
                day: day, from: .edge)
        }
        try identify(.text("A"), day: 5)
        try identify(.text("B"), day: 6)
        try identify(.text("A"), day: 7)
        return letters
    }

    /// Applies each letter and all that follows from it twice, in an order of the seed's; what cannot be applied yet
    /// comes again later, as from the ladder. Now and then it is told what users have bought.
    ///
    /// - Returns: what was told of purchases and refunds.
    @discardableResult
    static func play(
        _ letters: [Letter], seed: UInt64, in store: ResolverStore, until now: Timestamp = .noon
    ) async throws -> PurchaseLedger {
        var ledger = try await store.database.write { transaction in
            var random = SeededGenerator(seed: seed)
            var ledger = PurchaseLedger()
            var bag = letters + letters
            while !bag.isEmpty {
                if Int.random(in: 0..<24, using: &random) == 0 {
                    ledger.take(try TellPurchases.letters(now: now, in: transaction).shuffled(using: &random))
                }
                let letter = bag.remove(at: Int.random(in: bag.indices, using: &random))
                do {
                    let followers = try ResolverStore.apply(letter, now: now, in: transaction).followers
                    bag += followers + followers
                } catch let fault as MessageFault where fault.duration == .forNow {
                    bag.append(letter)
                }
            }
            return ledger
        }
        ledger.take(try await store.ringAlarms(now: now))
        return ledger
    }

    /// All that anybody can see in the end.
    struct Outcome: Equatable {
        var views: [String: UserView] = [:]
        var claims: [String: [ClaimOutcome?]] = [:]
        var evidence: [String: [EntitlementResolver.Subscription]] = [:]
        var told: [AppUserID: [EntitlementName: EntitlementState]] = [:]
        var purchases: [PurchaseLedger.Name: CustomerPurchase] = [:]
        var refunds: [PurchaseLedger.Name: CustomerRefund] = [:]
    }

    static func outcome(
        for organisation: OrganisationID, told ledger: PurchaseLedger, in store: ResolverStore
    ) async throws -> Outcome {
        var outcome = Outcome()
        (outcome.purchases, outcome.refunds) = (ledger.held, ledger.refundsOfHeld)
        for user in users {
            for app in [AppID.tunes, .radio] {
                for environment in [StoreEnvironment.production, .sandbox] {
                    outcome.views["\(user) \(app) \(environment)"] = try await store.view(
                        user, app: app, organisation: organisation, environment: environment)
                }
            }
            outcome.told[user] = try await store.database.read {
                try ToldEntitlementStore.told(of: Customer(organisation, user), in: $0)
            }
        }
        for original in chains {
            let chain = ChainID(organisation, .stores, original)
            outcome.claims[original.rawValue] = try await store.database.read {
                try ClaimStore.all(to: chain, in: $0).map(\.outcome)
            }
            outcome.evidence[original.rawValue] = try await store.database.read {
                try EvidenceStore.subscriptions(of: chain, in: $0)
            }
        }
        return outcome
    }

    static func held(
        by user: AppUserID, environment: StoreEnvironment = .production, in outcome: Outcome
    ) -> [OriginalTransactionID]? {
        outcome.views["\(user) \(AppID.tunes) \(environment)"]?.transactions.map(\.originalTransactionID)
    }

    @Test("Everything twice, in 500 orders: the same end")
    func anyOrder() async throws {
        // Two stores, so that both processors have something to do.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seeds in [UInt64(1)...250, 251...500] {
                group.addTask { try await Self.playAll(seeds) }
            }
            try await group.waitForAll()
        }
    }

    static func playAll(_ seeds: ClosedRange<UInt64>) async throws {
        let store = try await ResolverStore()
        let reference = OrganisationID(rawValue: "in order")
        for letter in try Self.script(for: reference) { try await store.settle(letter) }
        var ledger = PurchaseLedger()
        ledger.take(try await store.ringAlarms(now: .noon))
        let expected = try await Self.outcome(for: reference, told: ledger, in: store)
        // The play has the end that it was written for.
        #expect(Self.held(by: .ann, in: expected) == [.first, Self.forged])
        #expect(Self.held(by: .ben, in: expected) == [Self.second, Self.third])
        #expect(Self.held(by: .stranger, in: expected) == [])
        #expect(Self.held(by: .ann, environment: .sandbox, in: expected) == [Self.sandbox, Self.forged])
        #expect(
            expected.evidence["1000"]?.flatMap(\.transactions).map(\.expiresAt)
                == [.day(20), .day(50), .day(80), .day(120)])
        #expect(expected.evidence["1000"]?.flatMap(\.renewals).map(\.signedAt) == [.day(51), .day(54)])
        #expect(expected.evidence["5000"]?.map(\.transactions) == [[], []])
        #expect(expected.claims["2000"] == [.established, .stillActive, .movedInactive, .stillActive])
        #expect(expected.purchases.count == 8)
        #expect(expected.refunds.values.map(\.refundedAt) == [.day(29)])

        for seed in seeds {
            let organisation = OrganisationID(rawValue: "order-\(seed)")
            let ledger = try await Self.play(try Self.script(for: organisation), seed: seed, in: store)

            let outcome = try await Self.outcome(for: organisation, told: ledger, in: store)

            guard outcome == expected else {
                Issue.record(
                    "seed \(seed): \(String(reflecting: outcome)) instead of \(String(reflecting: expected))")
                return
            }
        }
        let holders = try await store.holders()
        #expect(holders.values.allSatisfy { $0.count == 1 }, "transactions held by two")
        #expect(holders.count == (seeds.count + 1) * 5)
    }
}

extension StoreTransaction {
    fileprivate func with(original: OriginalTransactionID) -> StoreTransaction {
        var transaction = self
        transaction.originalID = original
        return transaction
    }

    fileprivate func expiring(day: Double) -> StoreTransaction {
        var transaction = self
        transaction.expiresAt = .day(day)
        return transaction
    }
}
