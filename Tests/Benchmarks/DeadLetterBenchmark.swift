import AMQP
import CBareLoop
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import Synchronization
import TestSupport

/// 100,000 dead letters: how long an operator waits for the list and the groups, and how fast they go back.
///
/// Replaying is timed from the request to its answer: every letter of it is confirmed by the broker and out of the table
/// then. Its lane, which is at work in the same process, takes them meanwhile. The limit is a loop in C that publishes as
/// many messages to one queue and has them confirmed: of about the same size, with two headers fewer (which makes no
/// difference); nobody takes them, and nothing else is at work. Letters and loop come by turns.
func deadLetterBenchmark() async throws -> [Finding] {
    let bench = try await DeadLetterBench.start()
    defer { try? FileManager.default.removeItem(at: bench.folder) }
    let findings = try await bench.run()
    _ = try await bench.node.stop()
    return findings
}

private struct DeadLetterBench: Sendable {
    static let count = 100_000
    static let service = ServiceName.receiptValidator
    /// Has a queue, and does not read it.
    static let nobody = ServiceName(rawValue: "nobody")
    /// Has a queue that a loop in C reads.
    static let somebody = ServiceName(rawValue: "somebody")

    let node: BrokerProcess
    let folder: URL
    let taken = Taken()

    static func start() async throws -> DeadLetterBench {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tollgate-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return DeadLetterBench(node: try await BrokerProcess.start(), folder: folder)
    }

    private var address: PartitionAddress { PartitionAddress(service: Self.service, number: 0, count: .one) }

    func run() async throws -> [Finding] {
        try await fill()
        let operators = try await node.virtualHost()
        let own = try await node.user(BrokerPermissions(of: Self.service), in: operators)
        return try await AMQPBroker.running(operators) { operatorBroker in
            try await AMQPBroker.running(own) { broker in
                let session = try await operatorBroker.openSession(named: "setup")
                for service in [Self.service, Self.nobody, Self.somebody] {
                    try await session.declare(Topology(Topology.Layout(), services: [service]))
                }
                await session.close()
                let service = try await PartitionedService(
                    Self.service, version: Release.version,
                    settings: PartitionSettings(from: Settings(environment: ["TOLLGATE_STORE": folder.path])),
                    schema: MigrationSequence(name: "bench", migrations: []), broker: broker,
                    publisher: NumberedPublisher(service: Self.service, over: broker.publisher),
                    logger: Logger(service: "bench", least: .error), metrics: MetricsRegistry()
                ) { _, _ in
                    var handlers = HandlerTable()
                    handlers.add(Accept(taken: taken))
                    return handlers
                }
                let requester = Requester(user: .operatorTool, broker: operatorBroker)
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await service.run() }
                    group.addTask { try await requester.run() }
                    let findings = try await measure(requester, operators)
                    group.cancelAll()
                    return findings
                }
            }
        }
    }

    private func measure(_ requester: Requester, _ settings: BrokerSettings) async throws -> [Finding] {
        func ask<Message: PartitionMessage>(_ message: Message) async throws -> Message.Value {
            let deadline = ContinuousClock.now + .seconds(60)
            while true {
                do {
                    let reply = try await requester.ask(
                        Message.kind, MessageJSON.encode(message), by: .query(Self.service, Bucket.all[0]),
                        within: .seconds(60))
                    guard case .applied(let value) = try MessageJSON.decode(Answer<Message.Value>.self, from: reply)
                    else { throw TestFailure(String(decoding: reply, as: UTF8.self)) }
                    return value
                } catch RequestError.noOwner where ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
        }
        _ = try await ask(AuditPageGet(partition: 0, limit: 1))
        var filter = LetterFilter()
        let memory = residentMegabytes()
        let list = try await timed { _ = try await ask(DeadPageGet(partition: 0, filter: filter, limit: 20)) }
        let groups = try await timed { _ = try await ask(DeadGroupsGet(partition: 0, filter: filter)) }
        filter.text = "9999\""
        let search = try await timed { _ = try await ask(DeadPageGet(partition: 0, filter: filter, limit: 1000)) }
        filter.text = nil
        let run = MessageID(at: .now)
        let freezing = try await timed {
            _ = try await ask(DeadFreeze(partition: 0, run: run, filter: filter, by: "bench", mostReplays: 3))
        }
        var cursor: Int?
        repeat {
            cursor = try await ask(
                DeadPageGet(partition: 0, filter: filter, before: cursor, limit: 1000, isWhole: true)
            ).next
        } while cursor != nil
        let grown = residentMegabytes() - memory

        var (replay, bare, bareTaken, sent) = (Duration.zero, Duration.zero, Duration.zero, 0)
        var (applied, bareBoth) = (Work(), Work())
        let rounds = 4
        for round in 1...rounds {
            let count = Self.count / rounds
            bare += try await publishBare(count, to: Self.nobody, settings)
            bareBoth += try await work {
                async let taking = takeBare(count, from: Self.somebody, settings)
                bareTaken += try await publishBare(count, to: Self.somebody, settings)
                _ = try await taking
            }
            applied += try await work {
                replay += try await timed {
                    sent += try await ask(
                        DeadReplay(partition: 0, run: run, count: count, by: "bench", mostReplays: 3)
                    ).sent
                }
                // What the lane has left to do would slow down the loop that comes next.
                await taken.reaches(count * round)
            }
        }
        guard sent == Self.count else { throw TestFailure("\(sent) of \(Self.count) were sent") }
        let (ours, theirs) = (rate(sent, in: replay), rate(sent, in: bare))
        func seconds(_ what: String, _ duration: Duration) -> Finding {
            let value = duration / .seconds(1)
            return Finding(
                benchmark: "dead-letters", what: "s for \(what) at 100,000", value: value, goal: "< 1",
                isReached: value < 1)
        }
        return [
            seconds("a list", list), seconds("the groups", groups), seconds("a search through all bodies", search),
            Finding(
                benchmark: "dead-letters", what: "s to freeze 100,000", value: freezing / .seconds(1), goal: "bounded",
                isReached: true),
            Finding(
                benchmark: "dead-letters", what: "MB more while all are exported", value: grown, goal: "< 64",
                isReached: grown < 64),
            Finding(
                benchmark: "dead-letters", what: "letters/s replayed, while their lane takes them", value: ours,
                limit: theirs, goal: "≥ 0.6 of bare publish and confirm", isReached: ours >= 0.6 * theirs),
            Finding(
                benchmark: "dead-letters", what: "the same, against a loop in C whose messages another one takes",
                value: ours, limit: rate(sent, in: bareTaken), goal: "what the broker can do of both at once",
                isReached: true),
            Finding(
                benchmark: "dead-letters", what: "letters/s replayed and applied, against the same two loops",
                value: rate(sent, in: applied.time), limit: rate(sent, in: bareBoth.time),
                goal: "until the last one is applied or taken", isReached: true),
            Finding(
                benchmark: "dead-letters", what: "the same by the time of processors, the broker's included",
                value: rate(sent, in: applied.processor), limit: rate(sent, in: bareBoth.processor),
                goal: "whatever else the machine does", isReached: true),
        ]
    }

    // MARK: Clocks

    /// What something took.
    private struct Work {
        var time = Duration.zero
        /// Of this process and of the broker.
        var processor = Duration.zero

        static func += (sum: inout Work, work: Work) {
            sum.time += work.time
            sum.processor += work.processor
        }
    }

    private func work(_ body: () async throws -> Void) async throws -> Work {
        let (start, before) = (ContinuousClock.now, try processorTime())
        try await body()
        return Work(time: .now - start, processor: try processorTime() - before)
    }

    private func processorTime() throws -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        let own = Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        let pid = try String(contentsOf: node.folder.appendingPathComponent("node.pid"), encoding: .utf8)
        let path = "/proc/\(pid.trimmingCharacters(in: .whitespacesAndNewlines))/stat"
        // proc(5): behind the name in brackets, the user and system time are the 12th and the 13th.
        let fields = try String(contentsOfFile: path, encoding: .utf8).split(separator: ")").last?.split(separator: " ")
        guard let fields, fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw TestFailure("\(path) is not what proc(5) says")
        }
        return own + .seconds((user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Straight into the store: 20 kinds of trouble.
    private func fill() async throws {
        let database = try await Database.create(
            at: address.storePath(in: folder.path), as: address.identity, schema: [.lane], createdAt: Date())
        for start in stride(from: 0, to: Self.count, by: 5000) {
            try await database.write { transaction in
                for number in start..<start + 5000 { try Self.insert(number, in: transaction) }
            }
        }
        await database.close()
    }

    private static func insert(_ number: Int, in transaction: borrowing Transaction) throws {
        let message = ArtifactSubmit(
            organisation: OrganisationID(rawValue: "bench"), app: AppID(rawValue: "com.example.bench"),
            artifact: Artifact(kind: .transaction, text: String(repeating: "x", count: 330)),
            digest: ArtifactDigest(rawValue: String(number)))
        var envelope = Envelope(
            kind: ArtifactSubmit.kind, id: MessageID(at: .now), body: try MessageJSON.encode(message))
        envelope.key = message.key
        envelope.acceptedAt = .now
        envelope.properties.userID = "attest-gateway"
        try transaction.run(
            """
            INSERT INTO dead_letters (
                id, bucket, kind, key, reason, step, text, version, exchange, routing_key, attempts, generation,
                first_failure, last_failure, properties, body)
            VALUES (?, ?, ?, ?, ?, 'apply', 'the app is not known', '0.1.0', 'tollgate.commands', 'k', 5, 0, ?, ?, ?, ?)
            """,
            SQLValue(envelope.id), SQLValue(message.bucket.number), .text(ArtifactSubmit.kind.rawValue),
            .text(message.key), .text("reason_\(number % 20)"), SQLValue(number), SQLValue(number + 1000),
            .blob(try MessageJSON.encode(envelope.properties)), .blob(envelope.body))
    }

    /// Messages that a loop in C publishes and has confirmed.
    private func publishBare(_ count: Int, to service: ServiceName, _ settings: BrokerSettings) async throws -> Duration
    {
        try bare(settings) { broker in
            Exchange.commands.rawValue.withCString { exchange in
                "\(service).0".withCString { bare_publish(broker, exchange, $0, Int32(count), 512, 256) }
            }
        }
    }

    /// Messages that a loop in C takes and acknowledges.
    private func takeBare(_ count: Int, from service: ServiceName, _ settings: BrokerSettings) async throws -> Duration
    {
        let queue = QueueDeclaration.partition(service, 0).name
        return try bare(settings) { broker in queue.withCString { bare_consume(broker, $0, Int32(count), 1000, 256) } }
    }

    private func bare(_ settings: BrokerSettings, _ body: (bare_broker) -> Double) throws -> Duration {
        let address = settings.address
        let seconds = address.host.withCString { host in
            address.user.withCString { user in
                address.password.revealed.withCString { password in
                    address.virtualHost.withCString { virtualHost in
                        body(
                            bare_broker(
                                host: host, port: Int32(address.port), user: user, password: password,
                                vhost: virtualHost))
                    }
                }
            }
        }
        guard seconds > 0 else { throw TestFailure("the loop in C failed") }
        return .seconds(seconds)
    }

    private func residentMegabytes() -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }
}

/// How many letters the lane has applied.
private final class Taken: Sendable {
    private struct State {
        var count = 0
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }
    private let state = Mutex(State())

    func add() {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count += 1
            guard let waiting = state.waiting, state.count >= waiting.count else { return nil }
            state.waiting = nil
            return waiting.continuation
        }
        continuation?.resume()
    }

    func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count < count { state.waiting = (count, continuation) }
                return state.count >= count
            }
            if isThere { continuation.resume() }
        }
    }
}

/// Takes everything, changes nothing.
private struct Accept: MessageHandler {
    let taken: Taken

    func apply(
        _ message: ArtifactSubmit, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> { .applied }

    func committed(_ message: ArtifactSubmit) { taken.add() }
}
