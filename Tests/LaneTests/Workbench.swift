import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import Synchronization
import TestSupport
import Testing

/// A broker in memory, stores in a folder, and a clock that the test moves: what partitions need to work.
final class Workbench: Sendable {
    static let service = ServiceName.entitlementResolver
    static let user = BrokerUser(of: service)
    static let rungs = ["50ms", "100ms"]

    let settings: PartitionSettings
    let broker: InMemoryBroker
    let clock = ManualClock()
    let metrics = MetricsRegistry()
    let gate = Gate()
    let memory = Memory()
    /// What the service publishes.
    let journal: Journal
    let folder: URL
    private let ownsFolder: Bool
    private let replies: any Messaging.Subscription

    /// - Parameters:
    ///   - folder: of stores that are there already.
    ///   - broker: another workbench's.
    init(
        partitions: Int = 1, own: String = "all", storesIn folder: URL? = nil, sharing broker: InMemoryBroker? = nil,
        _ adjust: (inout PartitionSettings) -> Void = { _ in }
    ) async throws {
        self.folder =
            folder ?? FileManager.default.temporaryDirectory.appendingPathComponent("lane-\(UUID().uuidString)")
        ownsFolder = folder == nil
        var settings = try PartitionSettings(
            from: Settings(environment: [
                "TOLLGATE_STORE": self.folder.path, "TOLLGATE_PARTITIONS": String(partitions), "TOLLGATE_OWN": own,
                "TOLLGATE_RETRY_DELAYS": Self.rungs.joined(separator: ","),
            ]))
        adjust(&settings)
        self.settings = settings
        let (layout, shared) = (settings.layout(of: Self.service), broker)
        self.broker =
            shared ?? InMemoryBroker(topology: Topology(layout, services: [Self.service]), user: Self.user)
        journal = Journal(over: self.broker.publisher)
        let session = try await self.broker.openSession(named: "test")
        let replyQueue = shared == nil ? "replies.test" : "replies.other"
        try await session.declareExclusive(queue: replyQueue, bindings: [])
        replies = try await session.subscribe(to: replyQueue, prefetch: 1000)
        guard folder == nil else { return }
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        for number in 0..<partitions { try await Self.createStore(address(number), in: self.folder) }
    }

    deinit { if ownsFolder { try? FileManager.default.removeItem(at: folder) } }

    static func createStore(_ address: PartitionAddress, in folder: URL) async throws {
        let database = try await Database.create(
            at: address.storePath(in: folder.path), as: address.identity, schema: [.lane, depositSchema],
            createdAt: Date(timeIntervalSince1970: 0))
        await database.close()
    }

    func address(_ number: Int = 0) -> PartitionAddress {
        PartitionAddress(service: Self.service, number: number, count: settings.count)
    }

    /// The queue of a partition.
    func queue(_ number: Int = 0) -> String { QueueDeclaration.partition(Self.service, number).name }

    /// The queue of a rung.
    func rung(_ index: Int) -> String { "\(Self.service).retry.\(Self.rungs[index])" }

    // MARK: The service

    /// Opens the stores and begins to work; returns when every partition does.
    func start() async throws -> Work {
        let work = try await open()
        #expect(await eventually(every: .milliseconds(2)) { work.complaints.isEmpty })
        return work
    }

    /// Opens the stores and begins to work.
    func open() async throws -> Work {
        let databases = Mutex<[Int: Database]>([:])
        let publisher = NumberedPublisher(service: Self.service, over: journal)
        let service = try await PartitionedService(
            Self.service, version: "1.2.3", settings: settings, schema: depositSchema, broker: broker,
            publisher: publisher, logger: Logger(service: "test", least: .error) { _ in }, metrics: metrics,
            clock: { [clock] in clock.now }
        ) { address, database in
            databases.withLock { $0[address.number] = database }
            var table = HandlerTable()
            table.add(TakeDeposit(gate: gate, memory: memory))
            table.add(TakeGift())
            table.add(TakeWithdrawal())
            table.add(OpenAccount())
            table.add(NoteTransaction())
            table.add(NoteApp())
            table.add(AnswerBalance<BalanceGet> { $0.account })
            table.add(AnswerBalance<BalanceAudit> { $0.account })
            table.add(WaitAtGate(gate: gate))
            table.add(CountEndlessly())
            table.add(CountUnforeseen())
            table.add(RingTable())
            return table
        }
        return Work(service: service, publisher: publisher, databases: databases.withLock { $0 })
    }

    /// Runs the service while `body` does.
    func whileWorking(_ body: (Work) async throws -> Void) async throws {
        let work = try await start()
        do {
            try await body(work)
            try await work.stop()
        } catch {
            try await work.stop()
            throw error
        }
    }

    // MARK: Messages to it

    /// A message as anyone would send it.
    func envelope(_ message: some Message, id: String? = UUID().uuidString, answered: Bool = false) throws -> Envelope {
        var envelope = Envelope(properties: MessageProperties(), body: try MessageJSON.encode(message))
        envelope.kind = type(of: message).kind
        envelope.key = message.key
        envelope.properties.messageID = id
        if answered {
            envelope.properties.replyTo = "replies.test"
            envelope.properties.correlationID = id
        }
        return envelope
    }

    /// Puts a command into its queue.
    func send(_ envelope: Envelope, for account: String, as user: BrokerUser? = .load, returns: Int = 0) {
        broker.inject(envelope, to: .command(Self.service, Bucket(of: account)), as: user, returns: returns)
    }

    /// Puts a deposit into its queue.
    func send(
        _ deposit: Deposit, id: String? = UUID().uuidString, answered: Bool = false, as user: BrokerUser? = .load
    ) throws {
        send(try envelope(deposit, id: id, answered: answered), for: deposit.account, as: user)
    }

    /// The next answer, with the correlation id under which it came.
    func nextAnswer<Value>(_ type: Value.Type = Balance.self) async throws -> (id: String?, answer: Answer<Value>) {
        let delivery = try #require(try await nextReply(), "no answer came")
        await replies.settle([delivery], .acknowledge)
        return (
            delivery.envelope.properties.correlationID,
            try MessageJSON.decode(Answer<Value>.self, from: delivery.envelope.body)
        )
    }

    /// Nil when none comes.
    private func nextReply() async throws -> Delivery? {
        try await withThrowingTaskGroup(of: Delivery?.self) { group in
            group.addTask { [replies] in try await replies.next(upTo: 1, bytes: 1 << 20)?.first }
            group.addTask {
                // Cancelled as soon as the reply is there.
                try? await Task.sleep(for: .seconds(20))
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Asks and waits for the answer.
    func ask<Body: AddressedMessage>(_ query: Body, as user: BrokerUser? = .load) async throws -> Answer<Body.Value> {
        broker.inject(try envelope(query, answered: true), to: .query(Self.service, query.bucket), as: user)
        return try await nextAnswer(Body.Value.self).answer
    }

    /// Returns when the partitions have settled everything.
    func settle() async {
        let isSettled = await eventually(every: .milliseconds(2)) {
            (0..<settings.count.rawValue).allSatisfy { broker.depth(of: queue($0)) == 0 }
        }
        #expect(isSettled)
    }

    /// What partition `number` says of itself.
    func report(_ number: Int = 0) async throws -> PartitionReport {
        var envelope = Envelope(
            kind: PartitionReportGet.kind, id: MessageID(at: clock.now),
            body: try MessageJSON.encode(PartitionReportGet(partition: number)))
        envelope.properties.replyTo = "replies.test"
        broker.inject(envelope, to: .query(Self.service, Bucket.all[number]), as: .operatorTool)
        guard case .applied(let report) = try await nextAnswer(PartitionReport.self).answer else {
            throw TestFailure("no report")
        }
        return report
    }
}

/// A service at work.
final class Work: Sendable {
    let publisher: NumberedPublisher
    private let service: PartitionedService
    private let databases: [Int: Database]
    private let task: Task<Void, any Error>

    init(service: PartitionedService, publisher: NumberedPublisher, databases: [Int: Database]) {
        self.service = service
        self.publisher = publisher
        self.databases = databases
        task = Task { try await service.run() }
    }

    /// Stops in order.
    func stop() async throws {
        task.cancel()
        try await task.value
    }

    /// Closes the stores, also where the service could not.
    func close() async { for database in databases.values { await database.close() } }

    /// What keeps partitions from working.
    var complaints: [String] { service.complaints }

    func beginToStop() { task.cancel() }

    func database(_ number: Int = 0) throws -> Database { try #require(databases[number]) }

    /// The first column of the first row.
    func number(_ sql: SQL, _ bindings: SQLValue..., of partition: Int = 0) async throws -> Int {
        try await database(partition).read { try $0.first(sql, bindings: bindings) { try $0.int(0) } ?? 0 }
    }

    /// Writes past the lane.
    func change(_ sql: SQL, _ bindings: SQLValue..., of partition: Int = 0) async throws {
        try await database(partition).write { _ = try $0.run(sql, bindings: bindings) }
    }

    /// Makes as many of the one dead letter that there is, each under an id of its own.
    func multiplyLetter(by count: Int) async throws {
        for index in 1..<count {
            try await change(
                """
                INSERT INTO dead_letters (id, bucket, kind, reason, step, text, version, exchange, routing_key,
                    attempts, generation, first_failure, last_failure, properties, body)
                SELECT ?, bucket, kind, reason, step, text, version, exchange, routing_key, attempts, generation,
                    first_failure, last_failure, properties, body FROM dead_letters LIMIT 1
                """, .text("copy\(index)"))
        }
    }

    func total(_ account: String, of partition: Int = 0) async throws -> Int {
        try await number("SELECT total FROM accounts WHERE account = ?", .text(account), of: partition)
    }

    func inboxCount(of partition: Int = 0) async throws -> Int {
        try await number("SELECT count(*) FROM inbox", of: partition)
    }

    func outboxCount(of partition: Int = 0) async throws -> Int {
        try await number("SELECT count(*) FROM outbox", of: partition)
    }

    /// The dead letters, in the order in which they came.
    func letters(of partition: Int = 0) async throws -> [Letter] {
        try await database(partition).read {
            try $0.all(
                """
                SELECT id, kind, reason, step, attempts, first_failure, last_failure, properties, body, version, exchange,
                    routing_key, text
                FROM dead_letters ORDER BY number
                """
            ) { row in
                Letter(
                    id: try row.text(0), kind: try row.text(1), reason: try row.text(2), step: try row.text(3),
                    attempts: try row.int(4), firstFailure: Timestamp(clamping: try row.int64(5)),
                    lastFailure: Timestamp(clamping: try row.int64(6)),
                    properties: try MessageJSON.decode(MessageProperties.self, from: row.blob(7)),
                    body: try row.blob(8), version: try row.text(9), exchange: try row.text(10),
                    routingKey: try row.text(11), text: try row.text(12))
            }
        }
    }

    /// What handlers were told, in order.
    func contexts(of partition: Int = 0) async throws -> [Told] {
        try await database(partition).read {
            try $0.all("SELECT id, author, accepted_at FROM contexts ORDER BY number") {
                Told(
                    id: try $0.text(0), author: try $0.textOrNil(1), acceptedAt: Timestamp(clamping: try $0.int64(2)))
            }
        }
    }
}

struct Told: Hashable, Sendable {
    var id: String
    var author: String?
    var acceptedAt: Timestamp
}

struct Letter: Sendable {
    var id, kind, reason, step: String
    var attempts: Int
    var firstFailure, lastFailure: Timestamp
    var properties: MessageProperties
    var body: [UInt8]
    var version, exchange, routingKey, text: String
}

/// A publisher that takes down what it is given, and can be held.
final class Journal: Publisher {
    private let inner: any Publisher
    private let entries = Mutex<[Publication]>([])
    private let hook = Mutex<(@Sendable ([Publication]) async -> Void)?>(nil)

    init(over inner: any Publisher) { self.inner = inner }

    /// From now on `hook` is awaited before anything is passed on.
    func before(_ hook: (@Sendable ([Publication]) async -> Void)?) { self.hook.withLock { $0 = hook } }

    func publish(_ publications: [Publication], deadline: ContinuousClock.Instant) async -> [PublishOutcome] {
        entries.withLock { $0 += publications }
        await hook.withLock { $0 }?(publications)
        return await inner.publish(publications, deadline: deadline)
    }

    func send(_ publications: [Publication]) async { await inner.send(publications) }

    /// What was published to `exchange`, in order, checkpoints excepted.
    func published(to exchange: Exchange) -> [Publication] {
        entries.withLock { $0 }.filter {
            $0.route.exchange == exchange && $0.envelope.kind != PublisherCheckpoint.kind
        }
    }
}

/// Opened once; whoever waits goes on then.
final class Latch: Sendable {
    private let (stream, end) = AsyncStream.makeStream(of: Void.self)
    private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)

    func wait() async {
        arrived.yield()
        for await _ in stream {}
    }

    func waitForArrival() async {
        var iterator = arrivals.makeAsyncIterator()
        await iterator.next()
    }

    func open() { end.finish() }
}

extension Answer {
    var applied: Value? { if case .applied(let value) = self { value } else { nil } }
    var refused: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
    var failed: Refusal? { if case .failed(let refusal) = self { refusal } else { nil } }
}

extension Publication {
    /// Whether an operator puts it back: replies go by the same exchange, to other queues.
    var isReplay: Bool { (0..<4).contains { route == .replay(Workbench.service, partition: $0) } }
}
