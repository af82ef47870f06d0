import Apps
import EventIngest
import Foundation
import Lane
import Messages
import SQLite
import ServiceKit
import TestSupport

/// What the question for a funnel of 10^6 users takes in one partition, and how long a batch of events waits meanwhile.
func funnelBenchmark() async throws -> [Finding] {
    let store = try await FunnelBench()
    try await store.fill()
    let undisturbed = try await store.slowestBatch(of: 40)
    let whole = try await store.count(nil)
    let byAnswer = try await store.count("step_2")
    async let counting = store.count(nil)
    let disturbed = try await store.slowestBatch(of: 40)
    _ = try await counting
    await store.close()
    return [
        Finding(
            benchmark: "funnel", what: "s to count 10^6 users", value: whole, limit: 2, goal: "< 2",
            isReached: whole < 2),
        Finding(
            benchmark: "funnel", what: "s to count them by answer", value: byAnswer, limit: 2, goal: "< 2",
            isReached: byAnswer < 2),
        Finding(
            benchmark: "funnel", what: "ms of the slowest batch of 256 events meanwhile", value: disturbed * 1000,
            limit: undisturbed * 1000, goal: "≤ 5 × that without", isReached: disturbed <= 5 * undisturbed),
    ]
}

/// A partition of event-ingest whose users have come some way each.
private final class FunnelBench: Sendable {
    private static let app = AppID(rawValue: "com.example.bench")
    private static let organisation = OrganisationID(rawValue: "bench")

    private let folder: URL
    private let database: Database
    private let measures = EventMeasures(in: MetricsRegistry())

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-funnel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try await Database.create(
            at: folder.appendingPathComponent("store.sqlite").path, as: StoreIdentity(service: "event-ingest"),
            schema: [.lane, EventIngestService.schema], createdAt: Date())
    }

    func close() async {
        await database.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// 10,000 users through the handlers, and each of them a hundred times under other names.
    func fill() async throws {
        let app = AppChanged(
            record: AppRecord(
                organisation: Self.organisation, app: Self.app, version: 1, changedAt: Timestamp(clamping: 0)))
        let claim = EventNameClaim(organisation: Self.organisation, app: Self.app, names: [.onboardingStep])
        try await database.write { [measures] transaction in
            try Self.apply(app, ProjectApp(), in: transaction)
            try Self.apply(claim, ClaimNames(measures: measures), in: transaction)
            for user in 0..<10_000 {
                try Self.apply(Self.events(of: user), RecordEvents(measures: measures), in: transaction)
                if user % 3 == 0 { try Self.apply(Self.purchase(by: user), TakePurchase(), in: transaction) }
            }
        }
        let alarm = RenewFunnels()
        while try await database.read({ try alarm.next(in: $0) }) != nil {
            try await database.write { transaction in
                var outgoing = Outgoing(
                    cause: MessageID(rawValue: "alarm"), bucket: Bucket.all[0], acceptedAt: .now)
                try alarm.ring(now: .now, in: transaction, outgoing: &outgoing)
            }
        }
        for copy in 1..<100 {
            _ = try await database.write { transaction in
                try transaction.run(
                    """
                    INSERT INTO funnel_users SELECT organisation, app, user || '-' || ?, views, bucket, steps, stepped_at,
                        exposed_at, purchased_at, is_refunded, sandbox_exposed_at, sandbox_purchased_at,
                        is_sandbox_refunded FROM funnel_users WHERE user NOT LIKE '%-%'
                    """, SQLValue(copy))
            }
        }
        _ = try await database.checkpoint()
    }

    /// How long it takes to count all of them.
    func count(_ answersTo: String?) async throws -> Double {
        let question = FunnelCount(
            partition: 0, organisation: Self.organisation, app: Self.app, steps: (0..<6).map { "step_\($0)" },
            answersTo: answersTo)
        let start = ContinuousClock.now
        let verdict = try await database.read { try CountFunnel().answer(question, in: $0) }
        guard case .applied(let tally) = verdict, tally.users == 1_000_000 else { throw TestFailure("\(verdict)") }
        return (.now - start) / .seconds(1)
    }

    /// The longest of some commits of 256 messages with an event each.
    func slowestBatch(of count: Int) async throws -> Double {
        var slowest = 0.0
        for _ in 0..<count {
            let start = ContinuousClock.now
            try await database.write { [measures] transaction in
                for user in 0..<256 {
                    let events = EventsRecord(
                        organisation: Self.organisation, app: Self.app, user: AppUserID(rawValue: "other \(user)"),
                        events: [SignpostEvent(name: .onboardingStep, properties: Self.properties(0, of: user))],
                        trust: .attested)
                    try Self.apply(events, RecordEvents(measures: measures), in: transaction)
                }
            }
            slowest = max(slowest, (.now - start) / .seconds(1))
        }
        return slowest
    }

    private static func properties(_ step: Int, of user: Int) -> [String: AttributeValue] {
        ["step": .text("step_\(step)"), "index": .integer(Int64(step)), "value": .text("answer \(user % 5)")]
    }

    private static func events(of user: Int) -> EventsRecord {
        EventsRecord(
            organisation: organisation, app: app, user: AppUserID(rawValue: "user\(user)"),
            events: (0...user % 6).map {
                SignpostEvent(
                    name: .onboardingStep, at: Timestamp.now - .seconds(600 - $0), properties: properties($0, of: user))
            }, trust: .attested)
    }

    private static func purchase(by user: Int) -> CustomerPurchase {
        CustomerPurchase(
            organisation: organisation, app: app, realm: .stores, environment: .production,
            user: AppUserID(rawValue: "user\(user)"), transaction: TransactionID(rawValue: "\(user)"),
            originalTransaction: OriginalTransactionID(rawValue: "\(user)"), product: ProductID(rawValue: "pro"),
            purchasedAt: .now, chainBeganAt: .now, rank: .verified, linkedAt: .now, isHeld: true, revision: 1)
    }

    private static func apply<Handler: MessageHandler>(
        _ message: Handler.Body, _ handler: Handler, in transaction: borrowing Transaction
    ) throws {
        let context = MessageContext(
            id: MessageID(at: .now), kind: Handler.Body.kind, bucket: message.bucket, acceptedAt: .now, now: .now,
            author: BrokerUser(of: .attestGateway))
        var outgoing = Outgoing(cause: context.id, bucket: message.bucket, acceptedAt: .now)
        _ = try handler.apply(try handler.prepare(message, context), context, in: transaction, outgoing: &outgoing)
    }
}
