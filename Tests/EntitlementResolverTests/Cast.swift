import Messages
import TestSupport

@testable import EntitlementResolver

// The people, apps and products of these tests.

extension OrganisationID {
    static let demo = OrganisationID(rawValue: "demo")
}

extension AppID {
    static let tunes = AppID(rawValue: "com.example.tunes")
    static let radio = AppID(rawValue: "com.example.radio")
    static let testTunes = AppID(rawValue: "com.example.tunes.test")
}

extension AppUserID {
    static let ann = AppUserID(rawValue: "ann")
    static let ben = AppUserID(rawValue: "ben")
    static let stranger = AppUserID(rawValue: "$anon_7")
}

extension ProductID {
    static let monthly = ProductID(rawValue: "pro.monthly")
    static let lifetime = ProductID(rawValue: "pro.lifetime")
    static let coins = ProductID(rawValue: "coins")
}

extension EntitlementID {
    static let pro = EntitlementID(rawValue: "pro")
}

extension OriginalTransactionID {
    static let first = OriginalTransactionID(rawValue: "1000")
}

extension BrokerUser {
    static let edge = BrokerUser(of: .attestGateway)
    static let validator = BrokerUser(of: .receiptValidator)
    static let resolver = BrokerUser(of: .entitlementResolver)
    static let somebody = BrokerUser(rawValue: "somebody")
}

extension Timestamp {
    /// Noon of the tests' day 0.
    static let noon = day(0)
    static func day(_ number: Double) -> Timestamp {
        Timestamp(clamping: 1_772_366_400_000 + Int64(number * 86_400_000))
    }
}

extension StoreTransaction {
    /// The `number`th period of the monthly subscription that began on day −10: 30 days each.
    static func period(
        _ number: Int, of original: OriginalTransactionID = .first, from start: Double = -10, signed: Double? = nil,
        revoked: Double? = nil, environment: StoreEnvironment = .production
    ) -> StoreTransaction {
        let begin = start + 30 * Double(number)
        return StoreTransaction(
            id: TransactionID(rawValue: "\(original)-\(number)"), originalID: original, product: .monthly,
            productType: .autoRenewable, environment: environment, purchasedAt: .day(begin),
            expiresAt: .day(begin + 30), revokedAt: revoked.map(Timestamp.day), signedAt: .day(signed ?? begin))
    }

    static func once(
        _ product: ProductID, _ type: ProductType?, expires: Double? = nil, revoked: Double? = nil, day: Double = -10
    ) -> StoreTransaction {
        StoreTransaction(
            id: TransactionID(rawValue: "t-\(product)"), originalID: .first, product: product, productType: type,
            environment: .production, purchasedAt: .day(day), expiresAt: expires.map(Timestamp.day),
            revokedAt: revoked.map(Timestamp.day), signedAt: .day(day))
    }
}

extension AppRecord {
    static func record(
        _ app: AppID = .tunes, of organisation: OrganisationID = .demo, policy: LinkMovePolicy = .move,
        unverifiedLinksGrant: Bool = false, isTest: Bool = false, version: Int = 1, day: Double = -100
    ) -> AppRecord {
        AppRecord(
            organisation: organisation, app: app, testRoots: isTest ? ["root"] : [], linkMovePolicy: policy,
            unverifiedLinksGrant: unverifiedLinksGrant, version: version, changedAt: .day(day))
    }
}

extension ResolverStore {
    /// A store that knows the app, and that the monthly product and the lifetime one unlock `pro` in it.
    static func ofTunes(
        policy: LinkMovePolicy = .move, unverifiedLinksGrant: Bool = false, now: Timestamp = .noon
    ) async throws -> ResolverStore {
        let store = try await ResolverStore()
        try await store.connect(.record(policy: policy, unverifiedLinksGrant: unverifiedLinksGrant), now: now)
        for (index, product) in [ProductID.monthly, .lifetime, .coins].enumerated() {
            try await store.map(product, to: [.pro], id: "mapping-\(index)", now: now)
        }
        return store
    }

    func connect(_ record: AppRecord, now: Timestamp = .noon) async throws {
        try await settle(
            Letter(AppChanged(record: record), id: "app-\(record.version)", at: .noon, from: .edge), now: now)
    }

    @discardableResult
    func map(
        _ product: ProductID, to entitlements: [EntitlementID], app: AppID = .tunes, id: String, day: Double = -50,
        now: Timestamp = .noon
    ) async throws -> [Letter] {
        try await settle(
            Letter(
                MappingSet(organisation: .demo, app: app, product: product, entitlements: entitlements), id: id,
                at: .day(day), from: .operatorTool), now: now)
    }

    @discardableResult
    func claim(
        _ user: AppUserID, _ rank: ClaimRank = .verified, on original: OriginalTransactionID = .first,
        app: AppID = .tunes, day: Double, id: String? = nil, from author: BrokerUser = .validator
    ) async throws -> [Letter] {
        try await settle(
            Letter(
                LinkClaim(
                    organisation: .demo, app: app, originalTransactionID: original, user: user, rank: rank),
                id: id ?? "claim-\(user)-\(day)", at: .day(day), from: author))
    }

    /// Of an artifact that tells of this one transaction at this date.
    static func digest(of transaction: StoreTransaction) -> ArtifactDigest {
        ArtifactDigest(rawValue: "digest-\(transaction.id)-\(transaction.signedAt.rfc3339)")
    }

    @discardableResult
    func verify(
        _ transaction: StoreTransaction, app: AppID = .tunes, isTest: Bool = false, revision: Int? = nil,
        id: String? = nil, now: Timestamp = .noon
    ) async throws -> [Letter] {
        try await settle(
            Letter(
                TransactionVerified(
                    organisation: .demo, app: app, isTest: isTest, digest: Self.digest(of: transaction),
                    transaction: transaction, revision: revision),
                id: id ?? "verified-\(transaction.id)-\(transaction.signedAt.rfc3339)", at: transaction.signedAt,
                from: .validator), now: now)
    }
}

extension StoreRenewal {
    /// What the store says of the monthly subscription that began on day −10, about its `number`th period.
    static func about(
        _ number: Int, of original: OriginalTransactionID = .first, signed: Double, grace: Double? = nil,
        environment: StoreEnvironment = .production, change: (inout StoreRenewal) -> Void = { _ in }
    ) -> StoreRenewal {
        var renewal = StoreRenewal(originalID: original, environment: environment, signedAt: .day(signed))
        renewal.product = .monthly
        renewal.nextProduct = .monthly
        renewal.willRenew = true
        renewal.renewsAt = .day(20 + 30 * Double(number))
        renewal.graceExpiresAt = grace.map(Timestamp.day)
        renewal.isInBillingRetry = grace == nil ? nil : true
        change(&renewal)
        return renewal
    }
}

extension ResolverStore {
    static func digest(of renewal: StoreRenewal) -> ArtifactDigest {
        ArtifactDigest(rawValue: "renewal-\(renewal.originalID)-\(renewal.signedAt.rfc3339)")
    }

    @discardableResult
    func foretell(
        _ renewal: StoreRenewal, app: AppID = .tunes, isTest: Bool = false, revision: Int? = nil, now: Timestamp = .noon
    ) async throws -> [Letter] {
        try await settle(
            Letter(
                RenewalVerified(
                    organisation: .demo, app: app, isTest: isTest, digest: Self.digest(of: renewal), renewal: renewal,
                    revision: revision),
                id: "renewal-\(app)-\(renewal.signedAt.rfc3339)-\(revision ?? 0)", at: renewal.signedAt,
                from: .validator), now: now)
    }

    /// Takes back what ``foretell(_:app:isTest:revision:now:)`` has told.
    @discardableResult
    func retract(_ renewal: StoreRenewal, revision: Int = 1) async throws -> [Letter] {
        try await settle(
            Letter(
                RenewalRetracted(
                    organisation: .demo, app: .tunes, isTest: false, digest: Self.digest(of: renewal),
                    revision: revision, originalTransactionID: renewal.originalID, environment: renewal.environment,
                    reason: "untrusted_chain"),
                id: "retracted-renewal-\(renewal.signedAt.rfc3339)-\(revision)", at: .noon, from: .validator))
    }
}
