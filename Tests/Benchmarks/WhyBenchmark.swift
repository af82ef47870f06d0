import EntitlementResolver
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport

/// What the user's partition of entitlement-resolver needs for `why`, and for one more piece of news, where there is much:
/// of one chain with 250 and with 1,000 renewals, and of a user with as many chains. Without broker and edge.
func whyBenchmark() async throws -> [Finding] {
    var findings: [Finding] = []
    for shape in LongStory.Shape.allCases {
        var first: Double?
        for count in [250, 1_000] {
            let story = try await LongStory(shape, count)
            let (why, news) = (try await story.why(), story.lastNews)
            await story.close()
            let limit = first.map { $0 * 8 } ?? 100
            first = why
            findings += [
                Finding(
                    benchmark: "why", what: "ms per why of \(count) \(shape.rawValue)", value: why, limit: limit,
                    goal: count == 250 ? "< 100" : "< 100, and < 8 × that of 250",
                    isReached: why < 100 && why < limit),
                Finding(
                    benchmark: "why", what: "ms to take the last of \(count) \(shape.rawValue)", value: news,
                    goal: "reported", isReached: true),
            ]
        }
    }
    return findings
}

/// A user with a long story, told by the resolver's own handlers: each piece with all that went before it, as in life.
private actor LongStory {
    /// Of what there is much.
    enum Shape: String, CaseIterable {
        case renewals, chains
    }

    private static let organisation = OrganisationID(rawValue: "bench")
    private static let app = AppID(rawValue: "com.example.bench")
    private static let product = ProductID(rawValue: "pro.monthly")
    private static let user = AppUserID(rawValue: "user")
    private static let day: Int64 = 86_400_000

    private let folder: URL
    private let database: Database
    /// Milliseconds.
    let lastNews: Double

    init(_ shape: Shape, _ count: Int) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-why-\(UUID().uuidString)")
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
            try Self.tell(AppChanged(record: record), 0, ProjectApp(), in: transaction)
            try Self.tell(MappingChanged(mapping: mapping), 0, ProjectMapping(), in: transaction)
        }
        var last = 0.0
        for number in 0..<count {
            let start = ContinuousClock.now
            try await database.write { transaction in
                let chain = OriginalTransactionID(rawValue: shape == .chains ? "\(number)" : "0")
                let time = Int64(number) * Self.day
                if number == 0 || shape == .chains {
                    let link = LinkChanged(
                        organisation: Self.organisation, realm: .stores, originalTransactionID: chain, user: Self.user,
                        isHeld: true, rank: .verified, revision: 1, since: Timestamp(clamping: time))
                    try Self.tell(link, time, TakeLink(), in: transaction)
                }
                let periods = shape == .chains ? number...number : 0...number
                let news = SubscriptionChanged(
                    organisation: Self.organisation, realm: .stores, environment: .production,
                    originalTransactionID: chain, user: Self.user, rank: .verified, revision: number + 2,
                    transactions: periods.map { Self.period($0, of: chain) })
                try Self.tell(news, time + 1_000, TakeSubscription(), in: transaction)
            }
            last = (.now - start) / .milliseconds(1)
        }
        lastNews = last
        _ = try await database.checkpoint()
    }

    func close() async {
        await database.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Milliseconds; the least of five: what else the machine does only adds.
    func why() async throws -> Double {
        let explain = ExplainEntitlement(now: { .now })
        let query = UserWhy(
            organisation: Self.organisation, app: Self.app, user: Self.user, entitlement: EntitlementID(rawValue: "pro")
        )
        var best = Double.infinity
        for _ in 0..<5 {
            let start = ContinuousClock.now
            let verdict = try await database.read { try explain.answer(query, in: $0) }
            best = min(best, (.now - start) / .milliseconds(1))
            guard case .applied(let view) = verdict, view.timeline.count > 100 else {
                throw TestFailure("the story is not there")
            }
        }
        return best
    }

    private static func period(_ number: Int, of chain: OriginalTransactionID) -> StoreTransaction {
        StoreTransaction(
            id: TransactionID(rawValue: "2000000\(number)"), originalID: chain, product: product,
            productType: .autoRenewable, environment: .production,
            purchasedAt: Timestamp(clamping: Int64(number) * day),
            expiresAt: Timestamp(clamping: Int64(number + 1) * day),
            revokedAt: nil, signedAt: Timestamp(clamping: Int64(number) * day))
    }

    private static func tell<Handler: MessageHandler>(
        _ message: Handler.Body, _ time: Int64, _ handler: Handler, in transaction: borrowing Transaction
    ) throws {
        let now = Timestamp(clamping: time)
        let context = MessageContext(
            id: MessageID(rawValue: "\(Handler.Body.kind)-\(time)"), kind: Handler.Body.kind, bucket: message.bucket,
            acceptedAt: now, now: now, author: BrokerUser(of: .receiptValidator))
        var outgoing = Outgoing(cause: context.id, bucket: message.bucket, acceptedAt: now)
        _ = try handler.apply(
            try handler.prepare(message, context), context, in: transaction, outgoing: &outgoing)
    }
}
