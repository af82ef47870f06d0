import Foundation
import Messages
import Messaging
import SQLite
import TestSupport

/// Events a second, 20 in a message, from the first one published to the last one stored: against bare confirmed publishing
/// of the same bodies and bare insertion of the same rows, taken in the same run.
func eventsBenchmark() async throws -> [Finding] {
    let installation = try await Installation.start(on: .ownNodes())
    let publisher = try await installation.publisher(as: .load)
    // The names are the app's before the clock runs.
    try await store(try EventBatch.publications(0..<8, run: "names"), with: publisher, in: installation)
    let messages = 1_500
    var (stored, confirmed, inserted) = (0.0, 0.0, 0.0)
    for run in 0..<3 {
        let publications = try EventBatch.publications(0..<messages, run: "run-\(run)")
        stored = max(
            stored,
            rate(
                messages * EventBatch.size,
                in: try await timed { try await store(publications, with: publisher, in: installation) }))
        // Nobody takes them: what is confirmed waits.
        _ = await installation.stop(.eventIngest, SIGTERM)
        let bare = try EventBatch.publications(0..<messages, run: "bare-\(run)")
        confirmed = max(
            confirmed,
            rate(messages * EventBatch.size, in: try await timed { try await publish(bare, with: publisher) }))
        try await installation.start(.eventIngest)
        try await installation.waitUntilReady(.eventIngest)
        _ = try await installation.succeed("reconcile", "--wait", "120")
        inserted = max(
            inserted, try await insert(messages, in: installation.folder.appendingPathComponent("\(run).sqlite")))
    }
    await installation.tearDown()
    let limit = min(confirmed, inserted)
    let straight = Finding(
        benchmark: "events", what: "events/s stored (confirms \(Int(confirmed)), rows \(Int(inserted)))", value: stored,
        limit: limit, goal: "≥ 20000, or ≥ 0.5 of the lower of bare confirms and bare rows",
        isReached: stored >= 20_000 || stored / limit >= 0.5)
    return [straight] + (try await eventsCurve())
}

/// Messages of 20 events, each of a user of his own.
enum EventBatch {
    static let size = 20
    static let names = (0..<8).map { EventName(rawValue: "name_\($0)") }

    static func message(_ number: Int, user: Int, organisation: String, app: String, run: String) -> EventsRecord {
        let now = Timestamp.now
        let events = (0..<size).map { place in
            let time = now - .seconds(Int64(place))
            return SignpostEvent(
                name: names[place % names.count], id: "\(run)-\(number)-\(place)", at: time, sentAt: time.rfc3339,
                properties: ["placement": .text("onboarding"), "index": .integer(Int64(place)), "isFirst": .flag(true)])
        }
        return EventsRecord(
            organisation: OrganisationID(rawValue: organisation), app: AppID(rawValue: app),
            user: AppUserID(rawValue: "user-\(user)"), events: events, trust: .unverified)
    }

    static func publications(_ numbers: Range<Int>, run: String) throws -> [Publication] {
        try numbers.map { number in
            let message = message(
                number, user: number, organisation: Installation.organisation, app: Installation.app, run: run)
            let envelope = Envelope(
                kind: EventsRecord.kind, id: MessageID(at: .now), body: try MessageJSON.encode(message))
            return Publication(envelope, to: .command(EventsRecord.recipient, message.bucket), isMandatory: true)
        }
    }
}

private func publish(_ publications: [Publication], with publisher: any Publisher) async throws {
    let outcomes = await publisher.publish(publications, deadline: .now + .seconds(60))
    guard outcomes.allSatisfy({ $0 == .confirmed }) else { throw TestFailure("not all were confirmed") }
}

/// Publishes, and returns when everybody sees all of them.
private func store(
    _ publications: [Publication], with publisher: any Publisher, in installation: Installation
) async throws {
    func seen() async -> Double {
        let stored = try? await installation.number("tollgate_events_stored_total", of: .eventIngest)
        let shown = try? await installation.number("tollgate_events_shown_total", of: .eventIngest)
        return (stored ?? 0) + (shown ?? 0)
    }
    let goal = await seen() + Double(publications.count * EventBatch.size)
    try await publish(publications, with: publisher)
    let isDone = await eventually(within: .seconds(120)) { await seen() >= goal }
    guard isDone else { throw TestFailure("\(await seen()) of \(goal) events were stored") }
}

/// Rows a second that SQLite takes, as event-ingest writes them and nothing else: 256 messages in a transaction.
private func insert(_ messages: Int, in file: URL) async throws -> Double {
    let table = Migration(
        1, "rows",
        """
        CREATE TABLE events (
            organisation TEXT NOT NULL, user TEXT NOT NULL, app TEXT NOT NULL, identity BLOB NOT NULL,
            bucket INTEGER NOT NULL, name TEXT NOT NULL, id TEXT, at INTEGER NOT NULL, sent_at TEXT, properties BLOB,
            trust TEXT NOT NULL, accepted_at INTEGER NOT NULL, message_id TEXT NOT NULL, place INTEGER NOT NULL,
            step TEXT, step_index INTEGER, stored_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX events_by_user ON events (organisation, user, app, identity, name, trust);
        """)
    let database = try await Database.create(
        at: file.path, as: StoreIdentity(service: "bench"),
        schema: [MigrationSequence(name: "bench", migrations: [table])], createdAt: Date())
    var random = SeededGenerator(seed: 7)
    let rows: [[[SQLValue]]] = try (0..<messages).map { number in
        let message = EventBatch.message(
            number, user: number, organisation: Installation.organisation, app: Installation.app, run: "rows")
        let id = MessageID(at: .now)
        return try message.events.enumerated().map { place, event in
            let identity = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            return [
                SQLValue(message.organisation), SQLValue(message.user), SQLValue(message.app), .blob(identity), 7,
                SQLValue(event.name), SQLValue(event.id), .integer(event.at?.millisecondsSince1970 ?? 0),
                SQLValue(event.sentAt), .blob(try MessageJSON.encode(event.properties)), SQLValue(message.trust),
                .integer(Timestamp.now.millisecondsSince1970), SQLValue(id), SQLValue(place), .null,
                .null, .integer(Timestamp.now.millisecondsSince1970),
            ]
        }
    }
    let duration = try await timed {
        for first in stride(from: 0, to: messages, by: 256) {
            let portion = rows[first..<min(first + 256, messages)]
            try await database.write { transaction in
                for row in portion.joined() {
                    try transaction.run(
                        """
                        INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT DO NOTHING
                        """, bindings: row)
                }
            }
        }
    }
    await database.close()
    return rate(messages * EventBatch.size, in: duration)
}
