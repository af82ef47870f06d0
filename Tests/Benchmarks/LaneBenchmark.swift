import AMQP
import Crypto
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport

/// Messages a second from a filled quorum queue through inbox, state and outbox to a confirmed event.
func laneBenchmark() async throws -> [Finding] {
    let bench = try await LaneBench.start()
    // The best of three each: what else the machine does slows any of them.
    var (bare, sql, lane) = (0.0, 0.0, 0.0)
    for round in 0..<3 {
        bare = max(bare, try await bench.consumeAndPublish())
        sql = max(sql, try await bench.store(round))
        lane = max(lane, try await bench.lane(round))
    }
    await bench.stop()
    let limit = serial(bare, sql)
    return [
        Finding(
            benchmark: "lane", what: "messages/s (bare \(Int(bare)), SQL alone \(Int(sql)))", value: lane,
            limit: limit, goal: "≥ 0.7 of 1/(1/bare + 1/SQL)", isReached: lane / limit >= 0.7)
    ]
}

private final class LaneBench: Sendable {
    static let count = 30_000
    static let service = ServiceName.receiptValidator
    static let sink = "bench.sink"

    let node: BrokerProcess
    let folder: URL
    let broker: AMQPBroker
    let running: Task<Void, any Error>
    let messages: [Publication]

    static func start() async throws -> LaneBench {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tollgate-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let bench = try await LaneBench(
            folder: folder, node: BrokerProcess.start())
        try await bench.setUp()
        return bench
    }

    private init(folder: URL, node: BrokerProcess) throws {
        self.folder = folder
        self.node = node
        let broker = AMQPBroker(
            node.settings, name: "bench", logger: Logger(service: "bench", least: .error))
        self.broker = broker
        running = Task { try await broker.run() }
        messages = try (0..<Self.count).map { number in
            let digest = ArtifactDigest(rawValue: Digest.sha256("\(number)".utf8).hexadecimal)
            var message = ArtifactSubmit(
                organisation: OrganisationID(rawValue: "bench"), app: AppID(rawValue: "com.example.bench"),
                artifact: Artifact(kind: .transaction, text: ""), digest: digest)
            let size = try MessageJSON.encode(message).count
            message.artifact.text = String(repeating: "x", count: max(0, 512 - size))
            var envelope = Envelope(
                kind: ArtifactSubmit.kind, id: MessageID(at: .now), body: try MessageJSON.encode(message))
            envelope.key = message.key
            envelope.acceptedAt = .now
            return Publication(envelope, to: .command(Self.service, message.bucket), isMandatory: true)
        }
    }

    func stop() async {
        running.cancel()
        _ = try? await node.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    private func setUp() async throws {
        let session = try await broker.openSession(named: "setup")
        try await session.declare(Topology(Topology.Layout(), services: [Self.service]))
        await session.close()
        _ = try await node.manage(
            "PUT", "queues/%2F/\(Self.sink)", #"{"durable":true,"arguments":{"x-queue-type":"quorum"}}"#)
        _ = try await node.manage(
            "POST", "bindings/%2F/e/tollgate.events/q/\(Self.sink)", ##"{"routing_key":"#"}"##)
    }

    /// Puts all messages into the partition's queue, and nothing into the sink.
    private func fill() async throws {
        _ = try await node.manage("DELETE", "queues/%2F/\(Self.sink)/contents")
        for start in stride(from: 0, to: messages.count, by: 2_000) {
            let outcomes = await broker.publisher.publish(
                Array(messages[start..<min(start + 2_000, messages.count)]), deadline: .now + .seconds(30))
            guard outcomes.allSatisfy({ $0 == .confirmed }) else { throw TestFailure("the queue could not be filled") }
        }
    }

    /// The bare broker: take, publish an event of the same size with confirmation, acknowledge.
    func consumeAndPublish() async throws -> Double {
        try await fill()
        let session = try await broker.openSession(named: "bare")
        let subscription = try await session.subscribe(to: "\(Self.service).0", prefetch: 512)
        let publisher = broker.publisher
        let duration = try await timed {
            var taken = 0
            while taken < Self.count, let deliveries = try await subscription.next(upTo: 256, bytes: 8 << 20) {
                let events = deliveries.map { delivery in
                    Publication(
                        Envelope(kind: ArtifactRefused.kind, id: MessageID(at: .now), body: delivery.envelope.body),
                        to: .event(ArtifactRefused.kind, Bucket.all[0]), isMandatory: false)
                }
                _ = await publisher.publish(events, deadline: .now + .seconds(30))
                await subscription.settle(deliveries, .acknowledge)
                taken += deliveries.count
            }
        }
        await session.close()
        return rate(Self.count, in: duration)
    }

    /// The same SQL without a broker: inbox, state and outbox, 256 messages a commit.
    func store(_ round: Int) async throws -> Double {
        let database = try await Database.create(
            at: folder.appendingPathComponent("sql\(round).sqlite").path, as: StoreIdentity(service: "bench"),
            schema: [.lane, BenchHandler.schema], createdAt: Date())
        let messages = messages
        let duration = try await timed {
            for start in stride(from: 0, to: messages.count, by: 256) {
                let batch = messages[start..<min(start + 256, messages.count)]
                try await database.write { transaction in
                    try transaction.run(
                        "DELETE FROM outbox WHERE number < ?", SQLValue(start))
                    for (index, message) in batch.enumerated() {
                        try Self.apply(message.envelope, number: start + index, in: transaction)
                    }
                }
            }
        }
        await database.close()
        return rate(messages.count, in: duration)
    }

    private static func apply(_ envelope: Envelope, number: Int, in transaction: borrowing Transaction) throws {
        try transaction.savepoint { transaction in
            let id = envelope.id?.rawValue ?? ""
            try transaction.run(
                "INSERT INTO inbox (id, bucket, kind, digest, applied_at) VALUES (?, 0, ?, ?, 0) ON CONFLICT DO NOTHING",
                .text(id), .text("artifact.submit.v1"), .blob(Array(repeating: 7, count: 32)))
            try BenchHandler.upsert(envelope.key ?? "", bucket: 0, in: transaction)
            try transaction.run(
                """
                INSERT INTO outbox (
                    number, id, bucket, exchange, routing_key, mandatory, kind, key, accepted_at, cause, traceparent, body)
                VALUES (?, ?, 0, 'tollgate.events', 'artifact.refused.v1.0', 0, 'artifact.refused.v1', ?, 0, ?, NULL, ?)
                """,
                SQLValue(number), .text(id), SQLValue(envelope.key), .text(id),
                .blob(Array(envelope.body.prefix(200))))
        }
    }

    /// The lane itself.
    func lane(_ round: Int) async throws -> Double {
        try await fill()
        let store = folder.appendingPathComponent("lane\(round)")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        let address = PartitionAddress(service: Self.service, number: 0, count: .one)
        try await Database.create(
            at: address.storePath(in: store.path), as: address.identity, schema: [.lane], createdAt: Date()
        ).close()
        let publisher = NumberedPublisher(service: Self.service, over: broker.publisher)
        let metrics = MetricsRegistry()
        let partitions = try await PartitionedService(
            Self.service, version: Release.version,
            settings: PartitionSettings(from: Settings(environment: ["TOLLGATE_STORE": store.path])),
            schema: BenchHandler.schema, broker: broker, publisher: publisher,
            logger: Logger(service: "bench", least: .error), metrics: metrics
        ) { _, _ in
            var handlers = HandlerTable()
            handlers.add(BenchHandler())
            return handlers
        }
        let applied = metrics.counter(
            "tollgate_lane_messages_total", "", ["partition": "0", "ending": "applied"])
        let confirmed = ConfirmedEvents(sink: Self.sink, node: node)
        let start = ContinuousClock.now
        let run = Task { try await partitions.run() }
        while applied.value < Self.count { try await Task.sleep(for: .milliseconds(5)) }
        let done = ContinuousClock.now
        // An orderly stop publishes what is left in the outbox; its time belongs to the work.
        run.cancel()
        try await run.value
        let duration = max(done, ContinuousClock.now) - start
        try await confirmed.expect(Self.count)
        return rate(Self.count, in: duration)
    }
}

/// All events have to be in the sink: an event less would make the rate a lie.
private struct ConfirmedEvents {
    let sink: String
    let node: BrokerProcess

    func expect(_ count: Int) async throws {
        let has = await eventually(within: .seconds(20), every: .milliseconds(200)) {
            let text = (try? await node.control("list_queues", "name", "messages", "--quiet")) ?? ""
            return text.contains("\(sink)\t\(count)")
        }
        guard has else { throw TestFailure("not every event reached \(sink)") }
    }
}

/// A state row for each message, and an event.
private struct BenchHandler: MessageHandler {
    static let schema = MigrationSequence(
        name: "bench",
        migrations: [
            Migration(
                1, "state",
                "CREATE TABLE state (key TEXT PRIMARY KEY, bucket INTEGER NOT NULL, count INTEGER NOT NULL) WITHOUT ROWID;"
            )
        ])

    static func upsert(_ key: String, bucket: Int, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "INSERT INTO state (key, bucket, count) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
            .text(key), SQLValue(bucket))
    }

    func apply(
        _ message: ArtifactSubmit, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try Self.upsert(message.key, bucket: context.bucket.number, in: transaction)
        try outgoing.publish(
            ArtifactRefused(
                organisation: message.organisation, app: message.app, digest: message.digest, step: "bench",
                reason: "bench"))
        return .applied
    }
}
