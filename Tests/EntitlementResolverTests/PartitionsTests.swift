import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
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
            try await installation.publish(
                AppChanged(record: .record()), to: .event(AppChanged.kind, Bucket.all[0]), as: .edge)
            try await installation.publish(
                MappingSet(organisation: .demo, app: .tunes, product: .monthly, entitlements: [.pro]),
                as: .operatorTool)
            let originals = (0..<20).map { OriginalTransactionID(rawValue: "chain-\($0)") }
            for (index, original) in originals.enumerated() {
                let transaction = StoreTransaction.period(0, of: original)
                try await installation.publish(
                    TransactionVerified(
                        organisation: .demo, app: .tunes, isTest: false,
                        digest: ArtifactDigest(rawValue: original.rawValue), transaction: transaction),
                    to: .event(TransactionVerified.kind, Bucket(of: Key.transaction(.demo, original))), as: .validator)
                for (user, day) in [("user-\(index)", -9.0), ("heir-\(index)", -8)] {
                    try await installation.publish(
                        LinkClaim(
                            organisation: .demo, app: .tunes, originalTransactionID: original,
                            user: AppUserID(rawValue: user), rank: .verified),
                        as: .validator, at: .day(day))
                }
            }

            let haveMoved = try await eventually {
                for index in originals.indices {
                    guard let heir = try await installation.view(AppUserID(rawValue: "heir-\(index)")),
                        let user = try await installation.view(AppUserID(rawValue: "user-\(index)")),
                        heir.entitlements.first?.isActive == true, user.transactions.isEmpty,
                        user.customer.firstSeen == .day(-9)
                    else { return false }
                }
                return true
            }

            #expect(haveMoved)
            #expect(await eventually { installation.waiting() == 0 })
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

    static func start(partitions: Int) async throws -> Installation {
        let folder = TemporaryFolder()
        let settings = try PartitionSettings(
            from: Settings(environment: [
                "TOLLGATE_STORE": folder.path, "TOLLGATE_PARTITIONS": String(partitions),
                "TOLLGATE_RETRY_DELAYS": "50ms",
            ]))
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
        return Installation(
            folder: folder, broker: broker,
            service: try await PartitionedService(
                .entitlementResolver, version: "test", settings: settings, schema: EntitlementResolverService.schema,
                broker: broker, publisher: publisher, logger: Logger(service: "test", least: .error),
                metrics: MetricsRegistry()
            ) { _, _ in EntitlementResolverService.handlers(now: { .noon }) },
            publisher: publisher, replies: try await session.subscribe(to: "replies.test", prefetch: 1),
            partitions: partitions)
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
        _ message: some Message, to route: Route, as user: BrokerUser, at time: Timestamp = .noon
    ) async throws {
        var envelope = Envelope(
            kind: type(of: message).kind, id: MessageID(at: time), body: try MessageJSON.encode(message))
        envelope.acceptedAt = time
        envelope.key = message.key
        let outcome = await broker.client(as: user).publisher.publish(
            Publication(envelope, to: route, isMandatory: false), deadline: .now + .seconds(5))
        #expect(outcome == .confirmed)
    }

    func publish(_ command: some Command, as user: BrokerUser, at time: Timestamp = .noon) async throws {
        try await publish(command, to: .command(.entitlementResolver, command.bucket), as: user, at: time)
    }

    func view(_ user: AppUserID) async throws -> UserView? {
        let query = UserGet(organisation: .demo, app: .tunes, user: user)
        var envelope = Envelope(
            kind: UserGet.kind, id: MessageID(at: .noon), body: try MessageJSON.encode(query))
        envelope.properties.replyTo = "replies.test"
        envelope.properties.correlationID = user.rawValue
        broker.inject(envelope, to: .query(.entitlementResolver, query.bucket), as: .edge)
        guard let reply = try await replies.next(upTo: 1, bytes: 1 << 20)?.first else { return nil }
        await replies.settle([reply], .acknowledge)
        let answer = try MessageJSON.decode(Answer<UserView>.self, from: reply.envelope.body)
        guard case .applied(let view) = answer else { return nil }
        return view
    }

    /// How many messages are in the partitions' queues.
    func waiting() -> Int {
        (0..<partitions).reduce(0) { $0 + broker.depth(of: "\(ServiceName.entitlementResolver).\($1)") }
    }
}
