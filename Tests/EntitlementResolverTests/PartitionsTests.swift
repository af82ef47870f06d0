import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import Synchronization
import TestSupport
import Testing

@testable import EntitlementResolver

/// The service as it runs, but for the broker: a claim goes from the transaction's partition to the user's and back.
@Suite("Partitions")
struct PartitionsTests {
    @Test("Four partitions tell each other what happened, and links that move are held once")
    func four() async throws {
        let installation = try await Installation.start(partitions: 4)
        try await installation.run { installation in
            try await installation.publishMoves()

            let haveMoved = try await eventually { try await installation.haveMoved() }

            #expect(haveMoved)
            #expect(await eventually { installation.waiting() == 0 })
        }
    }

    @Test("A publication whose confirmation was lost goes out again under its id and changes nothing the second time")
    func unconfirmed() async throws {
        let installation = try await Installation.start(partitions: 4)
        // Everything that follows from something arrives, and its publisher does not get to know, once.
        let sent = Mutex<[MessageID: Int]>([:])
        installation.broker.interfere { publication in
            let envelope = publication.envelope
            // Nobody here takes what users' partitions announce.
            let announced: [MessageKind?] = [EntitlementChanged.kind, CustomerPurchase.kind, CustomerRefund.kind]
            guard envelope.cause != nil, !announced.contains(envelope.kind), let id = envelope.id else {
                return nil
            }
            let isFirst = sent.withLock { sent in
                sent[id, default: 0] += 1
                return sent[id] == 1
            }
            return isFirst ? .arrives(.unknown) : nil
        }
        try await installation.run { installation in
            try await installation.publishMoves()
            #expect(try await eventually { try await installation.hasSettled() })
            #expect(await eventually { installation.waiting() == 0 })

            #expect(try await installation.haveMoved())
            let again = sent.withLock { $0.values.count { $0 > 1 } }
            #expect(again > 20)
            #expect(try await installation.reports().map(\.repeated).reduce(0, +) >= again)
        }
    }

    /// From ladders, from replays after a year: the inbox has forgotten it all, and what each change left decides.
    @Test("What comes again after its id was forgotten, the last first, changes nothing, and nothing follows")
    func forgotten() async throws {
        let installation = try await Installation.start(partitions: 4) {
            $0.inboxKept = .zero
            $0.upkeepInterval = .milliseconds(5)
        }
        let followed = Mutex<[Publication]>([])
        installation.broker.interfere { publication in
            if publication.envelope.cause != nil { followed.withLock { $0.append(publication) } }
            return nil
        }
        try await installation.run { installation in
            try await installation.publishMoves()
            #expect(try await eventually { try await installation.hasSettled() })
            #expect(await eventually { installation.waiting() == 0 })
            let before = try await installation.stateOfAll()
            let applied = try await installation.reports().map(\.applied).reduce(0, +)
            #expect(try await eventually { try await installation.remembered() == 0 })
            let earlier = followed.withLock { followed in
                defer { followed = [] }
                return followed
            }

            for publication in earlier.reversed() {
                installation.broker.inject(publication.envelope, to: publication.route, as: .resolver)
            }
            try await installation.publishMoves()
            #expect(await eventually { installation.waiting() == 0 })
            #expect(try await eventually { try await installation.unpublished() == 0 })

            #expect(try await installation.stateOfAll() == before)
            #expect(followed.withLock { $0.compactMap(\.envelope.kind) } == [])
            let reports = try await installation.reports()
            #expect(reports.map(\.applied).reduce(0, +) >= applied + 60)
            #expect(reports.allSatisfy { $0.repeated == 0 && $0.dead.isEmpty && $0.retrying == 0 })
        }
    }
}

/// Partitions of the resolver on a broker in memory.
private struct Installation: Sendable {
    let folder: TemporaryFolder
    let broker: InMemoryBroker
    let service: PartitionedService
    let publisher: NumberedPublisher
    let replies: any Messaging.Subscription
    let partitions: Int
    let databases: [Database]

    static func start(
        partitions: Int, _ adjust: (inout LaneLimits) -> Void = { _ in }
    ) async throws -> Installation {
        let folder = TemporaryFolder()
        var settings = try PartitionSettings(
            from: Settings(environment: [
                "TOLLGATE_STORE": folder.path, "TOLLGATE_PARTITIONS": String(partitions),
                "TOLLGATE_RETRY_DELAYS": "50ms",
            ]))
        adjust(&settings.limits)
        for number in settings.owned {
            let address = PartitionAddress(service: .entitlementResolver, number: number, count: settings.count)
            let database = try await Database.create(
                at: address.storePath(in: folder.path), as: address.identity,
                schema: [.lane, EntitlementResolverService.schema], createdAt: Date(timeIntervalSince1970: 0))
            await database.close()
        }
        let broker = InMemoryBroker(topology: Topology(settings.layout(of: .entitlementResolver)), user: .resolver)
        let publisher = NumberedPublisher(service: .entitlementResolver, over: broker.publisher)
        let session = try await broker.openSession(named: "test")
        try await session.declareExclusive(queue: "replies.test", bindings: [])
        let databases = Mutex<[Database]>([])
        let service = try await PartitionedService(
            .entitlementResolver, version: "test", settings: settings, schema: EntitlementResolverService.schema,
            broker: broker, publisher: publisher, logger: Logger(service: "test", least: .error),
            metrics: MetricsRegistry()
        ) { _, database in
            databases.withLock { $0.append(database) }
            return EntitlementResolverService.handlers(retellingEvery: .zero, now: { .noon })
        }
        return Installation(
            folder: folder, broker: broker, service: service, publisher: publisher,
            replies: try await session.subscribe(to: "replies.test", prefetch: 1), partitions: partitions,
            databases: databases.withLock { $0 })
    }

    /// Runs the partitions while `body` does.
    func run(_ body: @Sendable @escaping (Installation) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            #expect(await eventually { service.complaints.isEmpty })
            try await body(self)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    func publish(
        _ message: some Message, to route: Route, as user: BrokerUser, id: String, at time: Timestamp = .noon
    ) async throws {
        var envelope = Envelope(
            kind: type(of: message).kind, id: MessageID(rawValue: id), body: try MessageJSON.encode(message))
        envelope.acceptedAt = time
        envelope.key = message.key
        let outcome = await broker.client(as: user).publisher.publish(
            Publication(envelope, to: route, isMandatory: false), deadline: .now + .seconds(5))
        #expect(outcome == .confirmed)
    }

    func publish(
        _ command: some Command, as user: BrokerUser, id: String, at time: Timestamp = .noon
    ) async throws {
        try await publish(command, to: .command(.entitlementResolver, command.bucket), as: user, id: id, at: time)
    }

    // MARK: A play

    static let originals = (0..<20).map { OriginalTransactionID(rawValue: "chain-\($0)") }
    static func user(_ index: Int) -> AppUserID { AppUserID(rawValue: "user-\(index)") }
    static func heir(_ index: Int) -> AppUserID { AppUserID(rawValue: "heir-\(index)") }

    /// Twenty purchases, each claimed by its user and then by his heir. Played again, it is the same messages.
    func publishMoves() async throws {
        try await publish(
            AppChanged(record: .record()), to: .event(AppChanged.kind, Bucket.all[0]), as: .edge, id: "app")
        try await publish(
            MappingSet(organisation: .demo, app: .tunes, product: .monthly, entitlements: [.pro]), as: .operatorTool,
            id: "mapping")
        for (index, original) in Self.originals.enumerated() {
            let transaction = StoreTransaction.period(0, of: original)
            try await publish(
                TransactionVerified(
                    organisation: .demo, app: .tunes, isTest: false,
                    digest: ArtifactDigest(rawValue: original.rawValue), transaction: transaction),
                to: .event(TransactionVerified.kind, Bucket(of: Key.transaction(.demo, original))), as: .validator,
                id: "verified-\(index)")
            for (user, day) in [(Self.user(index), -9.0), (Self.heir(index), -8)] {
                try await publish(
                    LinkClaim(
                        organisation: .demo, app: .tunes, originalTransactionID: original, user: user,
                        rank: .verified),
                    as: .validator, id: "claim-\(user)", at: .day(day))
            }
        }
    }

    /// Whether every heir has his purchase and its user has not.
    func haveMoved() async throws -> Bool {
        for index in Self.originals.indices {
            guard let heir = try await view(Self.heir(index)), let user = try await view(Self.user(index)),
                heir.entitlements.first?.isActive == true, user.transactions.isEmpty,
                user.customer.firstSeen == .day(-9)
            else { return false }
        }
        return true
    }

    /// Whether they have, and everything that follows has been confirmed.
    func hasSettled() async throws -> Bool {
        guard try await haveMoved(), try await count("SELECT count(*) FROM untold_purchases") == 0 else { return false }
        return try await unpublished() == 0
    }

    func stateOfAll() async throws -> [UserView?] {
        var views: [UserView?] = []
        for index in Self.originals.indices {
            views.append(try await view(Self.user(index)))
            views.append(try await view(Self.heir(index)))
        }
        return views
    }

    // MARK: Questions

    func view(_ user: AppUserID) async throws -> UserView? {
        let query = UserGet(organisation: .demo, app: .tunes, user: user)
        return try await ask(UserGet.kind, query, of: query.bucket, as: .edge)
    }

    /// What each partition says of itself.
    func reports() async throws -> [PartitionReport] {
        var reports: [PartitionReport] = []
        for number in 0..<partitions {
            let report: PartitionReport? = try await ask(
                PartitionReportGet.kind, PartitionReportGet(partition: number), of: Bucket.all[number],
                as: .operatorTool)
            reports.append(try #require(report))
        }
        return reports
    }

    /// Nil when the answer is no.
    private func ask<Value: Codable & Sendable>(
        _ kind: MessageKind, _ body: some Encodable, of bucket: Bucket, as user: BrokerUser
    ) async throws -> Value? {
        var envelope = Envelope(kind: kind, id: MessageID(at: .noon), body: try MessageJSON.encode(body))
        envelope.properties.replyTo = "replies.test"
        broker.inject(envelope, to: .query(.entitlementResolver, bucket), as: user)
        guard let reply = try await replies.next(upTo: 1, bytes: 1 << 20)?.first else { return nil }
        await replies.settle([reply], .acknowledge)
        guard case .applied(let value) = try MessageJSON.decode(Answer<Value>.self, from: reply.envelope.body) else {
            return nil
        }
        return value
    }

    /// How many messages wait in the outboxes.
    func unpublished() async throws -> Int { try await count("SELECT count(*) FROM outbox") }

    /// How many messages the inboxes know.
    func remembered() async throws -> Int { try await count("SELECT count(*) FROM inbox") }

    private func count(_ sql: SQL) async throws -> Int {
        var total = 0
        for database in databases { total += try await database.read { try $0.first(sql) { try $0.int(0) } ?? 0 } }
        return total
    }

    /// How many messages are in the partitions' queues.
    func waiting() -> Int {
        (0..<partitions).reduce(0) { $0 + broker.depth(of: "\(ServiceName.entitlementResolver).\($1)") }
    }
}
