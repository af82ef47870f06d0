import AttestGateway
import Foundation
import HTTP
import HTTPClient
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import Synchronization
import TestSupport

/// A registry at work on a broker in memory, and an operator who speaks to it.
struct RegistryRig: Sendable {
    let broker: InMemoryBroker
    let operators: Asker
    /// Speaks as an edge does.
    let edge: Asker
    /// To look into; the registry writes.
    let database: Database

    /// What its store is made of.
    struct Store {
        var schema = MigrationSequence.registry
        var rows: SQL?
        /// Of a registry that ran before; a new one unless given.
        var folder: TemporaryFolder?
    }

    /// - Parameter clock: the registry's; the system's unless given.
    static func with(
        _ store: Store = Store(), clock: ManualClock? = nil, _ body: @Sendable (RegistryRig) async throws -> Void
    ) async throws {
        let now: @Sendable () -> Timestamp = { clock?.now ?? .now }
        let folder = store.folder ?? TemporaryFolder()
        let settings = try PartitionSettings(from: Settings(environment: ["TOLLGATE_STORE": folder.path]))
        let address = PartitionAddress(service: .attestGateway, number: 0, count: .one)
        let path = address.storePath(in: folder.path)
        if !FileManager.default.fileExists(atPath: path) {
            let database = try await Database.create(
                at: path, as: address.identity, schema: [.lane, store.schema], createdAt: Timestamp.epoch.date)
            if let rows = store.rows { try await database.write { _ = try $0.run(rows) } }
            await database.close()
        }
        let broker = InMemoryBroker(topology: Topology(.init()), user: BrokerUser(of: .attestGateway))
        let publisher = NumberedPublisher(service: .attestGateway, over: broker.publisher)
        let opened = Mutex<Database?>(nil)
        let registry = try await PartitionedService(
            .attestGateway, version: "test", settings: settings, schema: .registry, broker: broker,
            publisher: publisher, logger: .silent, metrics: MetricsRegistry(), clock: now
        ) { _, database in
            opened.withLock { $0 = database }
            return .registry(now: now, metrics: MetricsRegistry())
        }
        guard let store = opened.withLock({ $0 }) else { throw Asker.NoAnswer() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await registry.run() }
            _ = await eventually { registry.complaints.isEmpty }
            try await body(
                RegistryRig(
                    broker: broker, operators: try await Asker(broker.client(as: .operatorTool)),
                    edge: try await Asker(broker.client(as: BrokerUser(of: .attestGateway))),
                    database: store))
            group.cancelAll()
        }
    }
}

/// Sends messages that are to be answered, one at a time, and waits for the answer.
actor Asker {
    struct NoAnswer: Error {}

    private let broker: InMemoryBroker
    private let queue = "replies.test-\(UUID().uuidString)"
    private let replies: any Subscription
    private let session: any BrokerSession

    init(_ broker: InMemoryBroker) async throws {
        self.broker = broker
        session = try await broker.openSession(named: "caller")
        try await session.declareExclusive(queue: queue, bindings: [])
        replies = try await session.subscribe(to: queue, prefetch: 16)
    }

    func send<C: Command>(
        _ command: C, id: MessageID? = nil, at time: Timestamp = .epoch
    ) async throws -> Answer<C.Value> {
        try await exchange(command, .command(C.recipient, command.bucket), id ?? MessageID(at: .now), time)
    }

    func ask<Q: Query>(_ query: Q) async throws -> Answer<Q.Value> {
        try await exchange(query, .query(Q.recipient, query.bucket), MessageID(at: .now), .epoch)
    }

    func request<R: Messages.Request>(_ request: R, at time: Timestamp = .epoch) async throws -> Answer<R.Value> {
        try await exchange(request, .query(R.recipient, request.bucket), MessageID(at: .now), time)
    }

    private func exchange<M: AddressedMessage>(
        _ message: M, _ route: Route, _ id: MessageID, _ time: Timestamp
    ) async throws -> Answer<M.Value> {
        var envelope = Envelope(kind: M.kind, id: id, body: try MessageJSON.encode(message))
        envelope.key = message.key
        envelope.acceptedAt = time
        return try MessageJSON.decode(Answer<M.Value>.self, from: try await exchange(envelope, route))
    }

    /// Asks the registry with any body at all.
    ///
    /// - Returns: the body of the answer.
    func exchange(_ kind: MessageKind, _ body: [UInt8]) async throws -> [UInt8] {
        let envelope = Envelope(kind: kind, id: MessageID(at: .now), body: body)
        return try await exchange(envelope, .query(.attestGateway, Bucket.all[0]))
    }

    private func exchange(_ envelope: Envelope, _ route: Route) async throws -> [UInt8] {
        var envelope = envelope
        envelope.properties.replyTo = queue
        envelope.properties.correlationID = UUID().uuidString
        let outcome = await broker.publisher.publish(
            Publication(envelope, to: route, isMandatory: true), deadline: .now + .seconds(5))
        guard outcome == .confirmed else { throw NoAnswer() }
        while let deliveries = try await replies.next(upTo: 1, bytes: 1 << 20), let delivery = deliveries.first {
            await replies.settle(deliveries, .acknowledge)
            if delivery.envelope.properties.correlationID == envelope.properties.correlationID {
                return delivery.envelope.body
            }
        }
        throw NoAnswer()
    }
}

/// A publisher that keeps what it is given and answers as it is told.
final class RecordingPublisher: Publisher {
    private struct State {
        var published: [Publication] = []
        var outcome = PublishOutcome.confirmed
        var gate: Gate?
    }
    private let state = Mutex(State())

    var published: [Publication] { state.withLock { $0.published } }

    /// From now on everything ends so.
    func answer(_ outcome: PublishOutcome) { state.withLock { $0.outcome = outcome } }

    /// From now on nobody is answered before `gate` opens.
    func hold(_ gate: Gate) { state.withLock { $0.gate = gate } }

    func publish(_ publications: [Publication], deadline: ContinuousClock.Instant) async -> [PublishOutcome] {
        let gate = state.withLock { state in
            state.published += publications
            return state.gate
        }
        await gate?.wait()
        return publications.map { _ in state.withLock { $0.outcome } }
    }

    func send(_ publications: [Publication]) async {}
}

/// Lets one side wait until the other has come to a point.
final class Gate: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    func open() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}

/// An edge behind a real HTTP server, with a registry of one app and one key, and a publisher that keeps everything.
struct EdgeRig: Sendable {
    static let secret = "tk_secret"
    static let key = KeyRecord(
        organisation: "acme", id: "server", digest: "a3a6a2a64ecdb8c8fc9f8e5a3d2f1bb8", scope: .read,
        addedAt: .epoch, version: 2)

    let url: String
    let client = HTTPClient()
    let publisher: RecordingPublisher
    let edge: Edge
    let metrics: MetricsRegistry

    /// - Parameters:
    ///   - askRegistry: answers a snapshot of the known apps unless given; whoever else is asked is not there, unless given.
    static func with(
        _ environment: [String: String] = [:], apps: [AppRecord] = [.tunes], keys: [KeyRecord] = [],
        askRegistry: Ask<RegistrySnapshot>? = nil, askForAttestation: Ask<AttestationSubmit>? = nil,
        askForAssertion: Ask<AssertionSubmit>? = nil, askResolver: Ask<UserGet>? = nil,
        askForDocument: Ask<UserDocumentGet>? = nil,
        askWhy: Ask<UserWhy>? = nil, askHistory: Ask<ChainHistory>? = nil,
        askValidator: Ask<ArtifactVerify>? = nil, askPaywall: Ask<PaywallResolve>? = nil,
        askClaim: Ask<EventNameClaim>? = nil, askNames: Ask<EventNameList>? = nil,
        askSignposts: Ask<SignpostsPage>? = nil, askSteps: Ask<FunnelSteps>? = nil,
        askCount: Ask<FunnelCount>? = nil, broker: InMemoryBroker = InMemoryBroker(),
        _ body: @Sendable (EdgeRig) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        let settings = try AttestGatewaySettings(
            from: Settings(environment: ["TOLLGATE_STORE": folder.path].merging(environment) { $1 }))
        let known = RegistrySnapshot.Value(version: 2, apps: apps, keys: keys)
        let publisher = RecordingPublisher()
        let metrics = MetricsRegistry()
        // Nobody answers on this broker.
        let requester = Requester(user: BrokerUser(of: .attestGateway), broker: InMemoryBroker())
        var questions = Questions(through: requester)
        questions.registry = askRegistry ?? { _, _ in .applied(known) }
        askForAttestation.map { questions.attestation = $0 }
        askForAssertion.map { questions.assertion = $0 }
        // What is asked of a resolver that knows no documents.
        askResolver.map { questions.user = $0 }
        questions.userDocument = askForDocument ?? { _, _ in .failed(Refusal("kind_unknown", "x")) }
        askWhy.map { questions.why = $0 }
        askHistory.map { questions.history = $0 }
        askValidator.map { questions.verdict = $0 }
        askPaywall.map { questions.paywall = $0 }
        askClaim.map { questions.claim = $0 }
        askNames.map { questions.eventNames = $0 }
        askSignposts.map { questions.signposts = $0 }
        askSteps.map { questions.funnelSteps = $0 }
        askCount.map { questions.funnelCount = $0 }
        let edge = Edge(
            settings, keys: .test(1), broker: broker, publisher: publisher, questions: questions, now: { .epoch },
            logger: .silent, metrics: metrics)
        edge.registry.begin(with: known)
        let server = try HTTPServer(router: edge.router, logger: .silent, metrics: metrics)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await requester.run() }
            group.addTask { try await server.run() }
            group.addTask { try await edge.news.run() }
            defer { group.cancelAll() }
            try await body(
                EdgeRig(
                    url: "http://127.0.0.1:\(server.port)", publisher: publisher, edge: edge, metrics: metrics))
        }
    }

    func send(_ method: String, _ path: String, headers: [String: String] = [:], _ body: [UInt8] = []) async throws
        -> HTTPResponse
    {
        try await client.send(
            HTTPRequest(method: method, url: url + path, headers: headers, body: body, timeout: .seconds(10)))
    }

    func identify(
        _ body: String = #"{"appUserId":"user_42","bundleId":"com.example.tunes"}"#, headers: [String: String] = [:]
    ) async throws -> HTTPResponse {
        try await send("POST", "/api/sdk/v1/identify", headers: headers, Array(body.utf8))
    }

    func attribute(_ body: String, headers: [String: String] = [:]) async throws -> HTTPResponse {
        try await send("POST", "/api/sdk/v1/attribute", headers: headers, Array(body.utf8))
    }
}

extension HTTPResponse {
    /// `error.code`, and `error.field` where there is one.
    var refusal: [String]? {
        struct Refused: Decodable {
            struct Reason: Decodable {
                let code: String
                let message: String
                let field: String?
            }
            let error: Reason
        }
        guard let refused = try? JSONDecoder().decode(Refused.self, from: Data(body)) else { return nil }
        return [refused.error.code] + (refused.error.field.map { [$0] } ?? [])
    }
}
