import Apps
import EventIngest
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport

/// What a message of 20 events costs in a partition of event-ingest with 10^4, 10^5 and 10^6 users in its store, each with
/// events, as ratios to the first.
///
/// Without broker and edge, whose part does not depend on the store. 256 messages are committed at a time, as the lane
/// does.
func eventsCurve() async throws -> [Finding] {
    let store = try await EventCurveStore()
    var first: Double?
    var findings: [Finding] = []
    for (power, count) in [(4, 10_000), (5, 100_000), (6, 1_000_000)] {
        try await store.grow(to: count)
        var cost = Double.infinity
        // The least of three: what else the machine does only adds.
        for _ in 0..<3 { cost = min(cost, try await store.record(1_024)) }
        let limit = first ?? cost
        first = limit
        findings.append(
            Finding(
                benchmark: "events", what: "µs per message with 10^\(power) users", value: cost, limit: limit,
                goal: "≤ 1.5 × that with 10^4", isReached: cost <= 1.5 * limit))
    }
    await store.close()
    return findings
}

/// A store of event-ingest that is filled and used by its own handlers.
private actor EventCurveStore {
    private static let organisation = "bench"
    private static let app = "com.example.bench"

    private let folder: URL
    private let database: Database
    private let handler = RecordEvents(measures: EventMeasures(in: MetricsRegistry()))
    private var users = 0
    private var messages = 0
    private var random = SeededGenerator(seed: 3)

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-events-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try await Database.create(
            at: folder.appendingPathComponent("store.sqlite").path, as: StoreIdentity(service: "event-ingest"),
            schema: [.lane, EventIngestService.schema], createdAt: Date())
        let (organisation, app) = (OrganisationID(rawValue: Self.organisation), AppID(rawValue: Self.app))
        let record = AppRecord(organisation: organisation, app: app, version: 1, changedAt: Timestamp(clamping: 0))
        let book = EventNameBook(
            organisation: organisation, app: app, names: EventBatch.names.map { .init(name: $0, since: .now) })
        let measures = EventMeasures(in: MetricsRegistry())
        try await database.write { transaction in
            try Self.apply(AppChanged(record: record), "app", ProjectApp(), in: transaction)
            try Self.apply(EventNameJudged(book: book), "names", ProjectNames(measures: measures), in: transaction)
        }
    }

    func close() async {
        await database.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Adds users, each with two events.
    func grow(to count: Int) async throws {
        while users < count {
            let portion = users..<min(users + 5_000, count)
            try await database.write { [handler] transaction in
                for user in portion {
                    var message = Self.message(user, user: user, run: "grown")
                    message.events.removeLast(EventBatch.size - 2)
                    try Self.apply(message, "g\(user)", handler, in: transaction)
                }
            }
            users = portion.upperBound
        }
        // What is filled in one go is measured as if it had grown, without a log as long as the store.
        _ = try await database.checkpoint()
    }

    /// Microseconds for a message of 20 events of a user who is there.
    func record(_ count: Int) async throws -> Double {
        let asked = (0..<count).map { number in
            (number: messages + number, user: Int.random(in: 0..<users, using: &random))
        }
        messages += count
        let made = asked.map { Self.message($0.number, user: $0.user, run: "recorded") }
        let start = ContinuousClock.now
        for first in stride(from: 0, to: count, by: 256) {
            let portion = first..<min(first + 256, count)
            try await database.write { [handler] transaction in
                for index in portion {
                    try Self.apply(made[index], "m\(asked[index].number)", handler, in: transaction)
                }
            }
        }
        return (.now - start) / .microseconds(1) / Double(count)
    }

    private static func message(_ number: Int, user: Int, run: String) -> EventsRecord {
        EventBatch.message(number, user: user, organisation: organisation, app: app, run: run)
    }

    private static func apply<Handler: MessageHandler>(
        _ message: Handler.Body, _ id: String, _ handler: Handler, in transaction: borrowing Transaction
    ) throws {
        let now = Timestamp.now
        let context = MessageContext(
            id: MessageID(rawValue: id), kind: Handler.Body.kind, bucket: message.bucket, acceptedAt: now, now: now,
            author: .load)
        var outgoing = Outgoing(cause: context.id, bucket: message.bucket, acceptedAt: now)
        _ = try handler.apply(try handler.prepare(message, context), context, in: transaction, outgoing: &outgoing)
    }
}
