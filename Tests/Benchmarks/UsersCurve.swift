import EntitlementResolver
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport

/// What a request costs in a partition of entitlement-resolver with 10^4, 10^5 and 10^6 users in its store, as ratios to
/// the first: reading a user, naming one (`identify`), and a purchase with its claim (`attribute`) with all that follows.
///
/// Without broker and edge, whose part does not depend on the store. Writes are committed 256 messages at a time, as the
/// lane does.
func usersCurve() async throws -> [Finding] {
    let store = try await CurveStore()
    var first: [Double] = []
    var findings: [Finding] = []
    for (power, count) in [(4, 10_000), (5, 100_000), (6, 1_000_000)] {
        try await store.grow(to: count)
        let costs = [
            ("read", try await store.best { try await store.read(2_000) }),
            ("identify", try await store.best { try await store.identify(2_048) }),
            ("attribute", try await store.best { try await store.attribute(1_024) }),
        ]
        if first.isEmpty { first = costs.map(\.1) }
        for (index, (name, cost)) in costs.enumerated() {
            findings.append(
                Finding(
                    benchmark: "curve", what: "µs per \(name) with 10^\(power) users", value: cost,
                    limit: first[index], goal: "≤ 1.5 × that with 10^4", isReached: cost <= 1.5 * first[index]))
        }
    }
    await store.close()
    return findings
}

/// A store of the resolver that is filled and used by its own handlers.
private actor CurveStore {
    private static let organisation = OrganisationID(rawValue: "bench")
    private static let app = AppID(rawValue: "com.example.bench")
    private static let product = ProductID(rawValue: "pro.monthly")
    private static let batch = 256

    private let folder: URL
    private let database: Database
    private var users = 0
    private var messages = 0
    private var random = SeededGenerator(seed: 3)

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-users-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try await Database.create(
            at: folder.appendingPathComponent("store.sqlite").path, as: StoreIdentity(service: "entitlement-resolver"),
            schema: [.lane, EntitlementResolverService.schema], createdAt: Date())
        let record = AppRecord(
            organisation: Self.organisation, app: Self.app, version: 1, changedAt: Timestamp(clamping: 0))
        let mapping = ProductMapping(
            organisation: Self.organisation, app: Self.app, product: Self.product,
            entitlements: [EntitlementID(rawValue: "pro")], version: 1, changedAt: Timestamp(clamping: 0))
        try await database.write { transaction in
            try Desk.apply(AppChanged(record: record), "app", ProjectApp(), in: transaction)
            try Desk.apply(MappingChanged(mapping: mapping), "mapping", ProjectMapping(), in: transaction)
        }
    }

    func close() async {
        await database.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The least of three: what else the machine does only adds.
    func best(_ measure: () async throws -> Double) async throws -> Double {
        var best = Double.infinity
        for _ in 0..<3 { best = min(best, try await measure()) }
        return best
    }

    /// Adds users, each with a subscription that is his.
    func grow(to count: Int) async throws {
        while users < count {
            let portion = users..<min(users + 2_000, count)
            try await database.write { transaction in
                for user in portion {
                    try Desk.apply(Self.identify(user), "i\(user)", IdentifyUser(), in: transaction)
                    try Desk.apply(Self.link(user), "l\(user)", TakeLink(), in: transaction)
                    try Desk.apply(Self.subscription(user), "s\(user)", TakeSubscription(), in: transaction)
                }
                try Desk.tellPurchases(in: transaction)
            }
            users = portion.upperBound
        }
        // What is filled in one go is measured as if it had grown, without a log as long as the store.
        _ = try await database.checkpoint()
    }

    /// As in a store that is used: between 64 reads and the next something is committed, and with it a reader forgets the
    /// pages that it holds. A small store that nobody writes to would be read from memory alone.
    func read(_ count: Int) async throws -> Double {
        let show = ShowUser(now: { .now })
        let (rounds, reads) = (count / 64, 64)
        var spent = Duration.zero
        for _ in 0..<rounds {
            _ = try await identify(1)
            let asked = (0..<reads).map { _ in Int.random(in: 0..<users, using: &random) }
            let start = ContinuousClock.now
            for user in asked {
                let query = UserGet(organisation: Self.organisation, app: Self.app, user: Self.user(user))
                let verdict = try await database.read { try show.answer(query, in: $0) }
                guard case .applied(let view) = verdict, view.entitlements.count == 1 else {
                    throw TestFailure("user \(user) is not there")
                }
            }
            spent += .now - start
        }
        return spent / .microseconds(1) / Double(rounds * reads)
    }

    func identify(_ count: Int) async throws -> Double {
        let asked = (0..<count).map { _ in Int.random(in: 0..<users, using: &random) }
        return try await inBatches(asked) { user, id, transaction in
            try Desk.apply(Self.identify(user), id, IdentifyUser(), in: transaction)
        }
    }

    /// A purchase of a user who is there: evidence, claim, and what follows from both on either side.
    func attribute(_ count: Int) async throws -> Double {
        let asked = (0..<count).map { _ in Int.random(in: 0..<users, using: &random) }
        return try await inBatches(asked) { user, id, transaction in
            try Desk.purchase(by: Self.user(user), id, of: Self.bought("new-\(id)"), in: transaction)
        }
    }

    private func inBatches(
        _ asked: [Int], _ work: @escaping @Sendable (Int, String, borrowing Transaction) throws -> Void
    ) async throws -> Double {
        let before = messages
        messages += asked.count
        let start = ContinuousClock.now
        for first in stride(from: 0, to: asked.count, by: Self.batch) {
            let portion = first..<min(first + Self.batch, asked.count)
            try await database.write { transaction in
                for index in portion { try work(asked[index], "m\(before + index)", transaction) }
                try Desk.tellPurchases(in: transaction)
            }
        }
        return Self.microseconds(asked.count, since: start)
    }

    private static func microseconds(_ count: Int, since start: ContinuousClock.Instant) -> Double {
        (.now - start) / .microseconds(1) / Double(count)
    }

    private static func user(_ number: Int) -> AppUserID { AppUserID(rawValue: "user-\(number)") }

    private static func identify(_ user: Int) -> UserIdentify {
        UserIdentify(
            organisation: organisation, app: app, user: self.user(user), platform: "ios", locale: "de_DE",
            attributes: ["plan": .text("pro"), "visits": .integer(Int64(user))], trust: .unverified)
    }

    private static func link(_ user: Int) -> LinkChanged {
        LinkChanged(
            organisation: organisation, realm: .stores, originalTransactionID: .init(rawValue: "\(user)"),
            user: self.user(user), isHeld: true, rank: .verified, revision: 1, since: .now)
    }

    private static func subscription(_ user: Int) -> SubscriptionChanged {
        SubscriptionChanged(
            organisation: organisation, realm: .stores, environment: .production,
            originalTransactionID: .init(rawValue: "\(user)"), user: self.user(user), rank: .verified, revision: 2,
            transactions: [bought("\(user)")])
    }

    private static func bought(_ id: String) -> StoreTransaction {
        StoreTransaction(
            id: TransactionID(rawValue: id), originalID: OriginalTransactionID(rawValue: id), product: product,
            productType: .autoRenewable, environment: .production, purchasedAt: .now,
            expiresAt: .now + .seconds(30 * 86_400), signedAt: .now)
    }
}

/// Applies messages and what follows from them, all of it in the one partition.
private enum Desk {
    /// What an alarm does twice a second.
    static func tellPurchases(in transaction: borrowing Transaction) throws {
        var outgoing = Outgoing(cause: MessageID(rawValue: "purchases"), bucket: Bucket.all[0], acceptedAt: .now)
        while try transaction.exists("SELECT 1 FROM untold_purchases LIMIT 1") {
            try TellPurchases().ring(now: .now, in: transaction, outgoing: &outgoing)
        }
    }

    @discardableResult
    static func apply<Handler: MessageHandler>(
        _ message: Handler.Body, _ id: String, _ handler: Handler, in transaction: borrowing Transaction
    ) throws -> [Publication] {
        let now = Timestamp.now
        let context = MessageContext(
            id: MessageID(rawValue: id), kind: Handler.Body.kind, bucket: message.bucket, acceptedAt: now, now: now,
            author: BrokerUser(of: .receiptValidator))
        var outgoing = Outgoing(cause: context.id, bucket: message.bucket, acceptedAt: now)
        let prepared = try handler.prepare(message, context)
        _ = try handler.apply(prepared, context, in: transaction, outgoing: &outgoing)
        return outgoing.publications
    }

    static func purchase(
        by user: AppUserID, _ id: String, of bought: StoreTransaction, in transaction: borrowing Transaction
    ) throws {
        let (organisation, app) = (OrganisationID(rawValue: "bench"), AppID(rawValue: "com.example.bench"))
        let verified = TransactionVerified(
            organisation: organisation, app: app, isTest: false, digest: ArtifactDigest(rawValue: id),
            transaction: bought)
        let claim = LinkClaim(
            organisation: organisation, app: app, originalTransactionID: bought.originalID, user: user,
            rank: .verified)
        var followers = try apply(verified, "v\(id)", RecordTransaction(), in: transaction)
        followers += try apply(claim, "c\(id)", AcceptClaim(), in: transaction)
        for (index, follower) in followers.enumerated() {
            let (body, id) = (follower.envelope.body, "\(id)-\(index)")
            switch follower.envelope.kind {
            case UserIdentify.kind:
                try apply(try MessageJSON.decode(UserIdentify.self, from: body), id, IdentifyUser(), in: transaction)
            case LinkChanged.kind:
                try apply(try MessageJSON.decode(LinkChanged.self, from: body), id, TakeLink(), in: transaction)
            case SubscriptionChanged.kind:
                try apply(
                    try MessageJSON.decode(SubscriptionChanged.self, from: body), id, TakeSubscription(),
                    in: transaction)
            default: break
            }
        }
    }
}
