import Apps
import Erasures
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport

@testable import EventIngest

/// All partitions without lanes and broker: applies letters in the order that a test wants, and hands back what follows.
final class IngestRig: Sendable {
    static let organisation = OrganisationID(rawValue: "acme")
    static let app = AppID(rawValue: "com.example.app")
    /// 2026-11-30T12:00:00Z
    static let noon = Timestamp(clamping: 1_796_040_000_000)

    private let folder = TemporaryFolder()
    let partitions: [Database]
    let count: PartitionCount
    let metrics = MetricsRegistry()
    let measures: EventMeasures

    init(partitions number: Int = 1, apps: [AppID] = [app]) async throws {
        guard let count = PartitionCount(rawValue: number) else { throw TestFailure("no such count") }
        self.count = count
        measures = EventMeasures(in: metrics)
        var databases: [Database] = []
        for partition in 0..<number {
            databases.append(
                try await Database.create(
                    at: folder.url.appendingPathComponent("\(partition).sqlite").path,
                    as: StoreIdentity(service: "event-ingest", partition: partition, partitionCount: number),
                    schema: [.lane, EventIngestService.schema], createdAt: Date(timeIntervalSince1970: 0)))
        }
        partitions = databases
        for app in apps {
            let record = AppRecord(
                organisation: Self.organisation, app: app, version: 1, changedAt: Timestamp(clamping: 0))
            for database in partitions { try await database.write { try AppStore.record(record, in: $0) } }
        }
    }

    /// The partitions that a letter goes to.
    func addressees(of letter: Letter) -> [Int] {
        Catalogue.byKind[letter.kind]?.isConfiguration == true
            ? Array(partitions.indices) : [letter.bucket.partition(of: count)]
    }

    /// Applies letters in one partition, in their order. Returns what followed.
    @discardableResult
    func apply(_ letters: [Letter], in partition: Int, now: Timestamp = noon) async throws -> [Letter] {
        try await partitions[partition].write { [measures] transaction in
            try letters.flatMap {
                try Self.apply($0, measures: measures, now: now, in: transaction).followers
            }
        }
    }

    /// Applies a letter, and what follows from it, and so on.
    ///
    /// - Returns: the value of the first answer, as JSON.
    @discardableResult
    func settle(_ letter: Letter, now: Timestamp = noon) async throws -> String {
        var waiting = [letter]
        var answer: String?
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            for partition in addressees(of: next) {
                let (followers, said) = try await partitions[partition].write { [measures] transaction in
                    try Self.apply(next, measures: measures, now: now, in: transaction)
                }
                waiting += followers
                answer = answer ?? said
            }
        }
        return answer ?? ""
    }

    /// The same for events of a user, whose verdict comes back.
    func record(
        _ events: [SignpostEvent], of user: String = "ann", id: String = UUID().uuidString, at time: Timestamp = noon,
        from author: BrokerUser = BrokerUser(of: .attestGateway), trust: Trust = .attested, now: Timestamp = noon
    ) async throws -> EventsRecord.Value {
        let letter = try Letter(
            EventsRecord(
                organisation: Self.organisation, app: Self.app, user: AppUserID(rawValue: user), events: events,
                trust: trust), id: id, at: time, from: author)
        let answer = try await settle(letter, now: now)
        return try MessageJSON.decode(EventsRecord.Value.self, from: Array(answer.utf8))
    }

    /// Rings the alarms of every partition until nothing is due. Returns what followed.
    @discardableResult
    func ringAlarms(_ alarms: [any Alarm]? = nil, now: Timestamp = noon) async throws -> [Letter] {
        var followers: [Letter] = []
        for database in partitions {
            for alarm in alarms
                ?? [
                    SettleWaiting(measures: measures), SweepReleased(measures: measures), ForgetUsers(), RenewFunnels(),
                ]
            {
                while let due = try await database.read({ try alarm.next(in: $0) }), due <= now {
                    followers += try await database.write { transaction in
                        var outgoing = Outgoing(
                            cause: MessageID(rawValue: alarm.name), bucket: Bucket.all[0], acceptedAt: now)
                        try alarm.ring(now: now, in: transaction, outgoing: &outgoing)
                        return outgoing.publications.compactMap { Letter($0, from: .eventIngest) }
                    }
                }
            }
        }
        return followers
    }

    /// Every event that anybody sees, of all partitions, the newest of each partition first.
    func events(_ question: SignpostsPage = SignpostsPage(partition: 0)) async throws -> [StoredEvent] {
        var events: [StoredEvent] = []
        for database in partitions {
            events += try await database.read { snapshot in
                try EventPages.page(question, after: nil, limit: 100_000, mostSeen: 100_000, in: snapshot).events
            }
        }
        return events
    }

    func waiting() async throws -> Int {
        var count = 0
        for database in partitions {
            count +=
                try await database.read { try $0.first("SELECT COUNT(*) FROM waiting_events") { try $0.int(0) } }
                ?? 0
        }
        return count
    }

    func books() async throws -> [EventNameBook] {
        var books: [EventNameBook] = []
        for database in partitions {
            books.append(try await database.read { try NameStore.book(of: App(Self.organisation, Self.app), in: $0) })
        }
        return books
    }

    private static func apply(
        _ letter: Letter, measures: EventMeasures, now: Timestamp, in transaction: borrowing Transaction
    ) throws -> (followers: [Letter], answer: String) {
        switch letter.kind {
        case EventsRecord.kind: try apply(letter, with: RecordEvents(measures: measures), now: now, in: transaction)
        case EventNameClaim.kind: try apply(letter, with: ClaimNames(measures: measures), now: now, in: transaction)
        case EventNamePropose.kind: try apply(letter, with: ProposeNames(measures: measures), now: now, in: transaction)
        case EventNameJudged.kind: try apply(letter, with: ProjectNames(measures: measures), now: now, in: transaction)
        case EventNameRelease.kind: try apply(letter, with: ReleaseNames(measures: measures), now: now, in: transaction)
        case EventNameRule.kind: try apply(letter, with: RuleNames(measures: measures), now: now, in: transaction)
        case UserErased.kind: try apply(letter, with: FollowErasure(), now: now, in: transaction)
        case PaywallExposed.kind: try apply(letter, with: TakeExposure(), now: now, in: transaction)
        case CustomerPurchase.kind: try apply(letter, with: TakePurchase(), now: now, in: transaction)
        case CustomerRefund.kind: try apply(letter, with: TakeRefund(), now: now, in: transaction)
        default: throw TestFailure("\(letter.kind) is not taken")
        }
    }

    /// In a savepoint of its own, as the lane does.
    private static func apply<Handler: MessageHandler>(
        _ letter: Letter, with handler: Handler, now: Timestamp, in transaction: borrowing Transaction
    ) throws -> (followers: [Letter], answer: String) {
        let message = try MessageJSON.decode(Handler.Body.self, from: letter.body)
        let context = MessageContext(
            id: letter.id, kind: letter.kind, bucket: message.bucket, acceptedAt: letter.acceptedAt, now: now,
            author: letter.author)
        var outgoing = Outgoing(cause: letter.id, bucket: message.bucket, acceptedAt: letter.acceptedAt)
        let prepared = try handler.prepare(message, context)
        let verdict = try transaction.savepoint { step in
            try handler.apply(prepared, context, in: step, outgoing: &outgoing)
        }
        let answer: String
        switch verdict {
        case .applied(let value), .overtaken(let value):
            answer = String(decoding: try MessageJSON.encode(value), as: UTF8.self)
        case .refused(let refusal): answer = refusal.reason
        }
        return (outgoing.publications.compactMap { Letter($0, from: .eventIngest) }, answer)
    }
}
