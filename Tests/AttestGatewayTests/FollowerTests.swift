import AttestGateway
import Foundation
import HTTP
import Messages
import Messaging
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Following the registry")
struct FollowerTests {
    /// A registry that answers as it is told.
    final class Registry: Sendable {
        private struct State {
            var snapshot: RegistrySnapshot.Value?
            var asked = 0
            var onQuestion: (@Sendable () -> Void)?
        }
        private let state = Mutex(State())

        var asked: Int { state.withLock { $0.asked } }

        /// Nil: it is away.
        func answer(_ snapshot: RegistrySnapshot.Value?) { state.withLock { $0.snapshot = snapshot } }

        /// Called when it is asked, before it answers.
        func onQuestion(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onQuestion = body } }

        func ask() throws -> Answer<RegistrySnapshot.Value> {
            let (snapshot, onQuestion) = state.withLock { state in
                state.asked += 1
                return (state.snapshot, state.onQuestion)
            }
            onQuestion?()
            guard let snapshot else { throw Asker.NoAnswer() }
            return .applied(snapshot)
        }
    }

    /// An edge's follower on a broker of its own.
    final class Rig: Sendable {
        let broker = InMemoryBroker(topology: Topology(.init()))
        let folder = TemporaryFolder()
        let registry = Registry()
        let projection: RegistryProjection
        let follower: RegistryFollower

        init(patience: Duration = .seconds(60)) {
            let metrics = MetricsRegistry()
            let ask: Ask<RegistrySnapshot> = { [registry] _, _ in try registry.ask() }
            projection = RegistryProjection(ask: ask, distance: .zero, metrics: metrics)
            var timing = RegistryFollower.Timing()
            timing.patience = patience
            timing.retry.first = .milliseconds(1)
            timing.retry.longest = .milliseconds(5)
            follower = RegistryFollower(
                projection, broker: broker, ask: ask, file: SnapshotFile(in: folder.path), timing: timing,
                now: { .epoch }, logger: .silent, metrics: metrics)
        }

        func answer(_ value: RegistrySnapshot.Value?) { registry.answer(value) }

        func publish(_ event: some Event, as user: BrokerUser = BrokerUser(of: .attestGateway)) throws {
            var envelope = Envelope(
                kind: type(of: event).kind, id: MessageID(at: .now), body: try MessageJSON.encode(event))
            envelope.key = event.key
            broker.inject(envelope, to: .event(type(of: event).kind, event.bucket), as: user)
        }

        func runs(_ body: @Sendable (Rig) async throws -> Void) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.follower.run() }
                defer { group.cancelAll() }
                try await body(self)
            }
        }

        func becomes(_ standing: RegistryProjection.Standing) async -> Bool {
            await eventually(every: .milliseconds(1)) { self.projection.standing == standing }
        }

        func knows(_ app: AppID) async -> Bool {
            await eventually(every: .milliseconds(1)) { self.projection.known { $0.app(app) } != nil }
        }
    }

    static func app(_ name: String, _ version: Int, _ policy: LinkMovePolicy = .move) -> AppRecord {
        AppRecord(
            organisation: "acme", app: AppID(rawValue: name), linkMovePolicy: policy, version: version,
            changedAt: .epoch)
    }

    static func snapshot(_ apps: AppRecord..., keys: [KeyRecord] = []) -> RegistrySnapshot.Value {
        .init(version: (apps.map(\.version) + keys.map(\.version)).max() ?? 0, apps: apps, keys: keys)
    }

    @Test("What is published between the queue and the snapshot is not missed; what is older does not win")
    func queueFirst() async throws {
        let rig = Rig()
        rig.answer(Self.snapshot(Self.app("a", 5)))
        rig.registry.onQuestion { [unowned rig] in
            try? rig.publish(AppChanged(record: Self.app("a", 4, .keep)))
            try? rig.publish(AppChanged(record: Self.app("b", 6)))
        }

        try await rig.runs { rig in
            #expect(await rig.knows("b"))
            #expect(rig.projection.known { $0.app("a") }?.linkMovePolicy == .move)
            #expect(rig.projection.standing == .fresh)
        }
    }

    @Test("It is not ready before a snapshot, and goes on asking until it has one")
    func notReady() async throws {
        let rig = Rig()

        try await rig.runs { rig in
            #expect(await eventually { rig.registry.asked >= 3 })
            #expect(rig.projection.readiness == .failed("registry_snapshot_missing"))
            rig.answer(Self.snapshot(Self.app("a", 1)))
            #expect(await rig.becomes(.fresh))
            #expect(rig.projection.readiness == .ok)
        }
    }

    @Test("After a lost connection it is stale, and does all of it anew: a revocation meanwhile is not missed")
    func reconnect() async throws {
        let key = EdgeRig.key
        var revoked = key
        revoked.revokedAt = .epoch
        revoked.version = 9
        let revocation = revoked
        let rig = Rig()
        rig.answer(Self.snapshot(Self.app("a", 1), keys: [key]))
        let other = Rig()
        other.answer(Self.snapshot(Self.app("a", 1), keys: [key]))

        try await rig.runs { rig in
            try await other.runs { other in
                #expect(await rig.becomes(.fresh))
                #expect(await other.becomes(.fresh))
                other.broker.goDown()
                #expect(await other.becomes(.stale))
                #expect(other.projection.known { $0.app("a") } != nil)

                // One edge hears it, the other is away.
                try rig.publish(KeyChanged(record: revocation))
                other.answer(Self.snapshot(Self.app("a", 1), keys: [revocation]))
                #expect(await eventually { rig.projection.known { $0.key(digest: key.digest)?.revokedAt } != nil })
                #expect(other.projection.known { $0.key(digest: key.digest)?.revokedAt } == nil)

                other.broker.comeUp()
                #expect(await other.becomes(.fresh))
                #expect(other.projection.known { $0.key(digest: key.digest)?.revokedAt } != nil)
            }
        }
    }

    @Test("When no registry answers, its last known state stands in, until one does")
    func standIn() async throws {
        let rig = Rig(patience: .zero)
        try await SnapshotFile(in: rig.folder.path).save(Self.snapshot(Self.app("a", 3)), at: .epoch)

        try await rig.runs { rig in
            #expect(await rig.becomes(.stale))
            #expect(rig.projection.readiness == .degraded("registry_snapshot_stale"))
            #expect(rig.projection.known { $0.app("a") } != nil)
            rig.answer(Self.snapshot(Self.app("a", 3), Self.app("b", 4)))
            #expect(await rig.becomes(.fresh))
            #expect(rig.projection.known { $0.app("b") } != nil)
        }
    }

    @Test("What it learns is kept on disk, from the snapshot and from events")
    func kept() async throws {
        let rig = Rig()
        rig.answer(Self.snapshot(Self.app("a", 1)))
        let file = SnapshotFile(in: rig.folder.path)

        try await rig.runs { rig in
            #expect(try await eventually { try await file.load()?.version == 1 })
            try rig.publish(AppChanged(record: Self.app("b", 2)))
            #expect(try await eventually { try await file.load()?.version == 2 })
        }
        #expect(try await file.load() == Self.snapshot(Self.app("a", 1), Self.app("b", 2)))
    }

    @Test("A broken file is said in the log, and no reason to stop")
    func brokenFile() async throws {
        let rig = Rig(patience: .zero)
        try "{".write(toFile: rig.folder.path + "/registry-snapshot.json", atomically: true, encoding: .utf8)

        try await rig.runs { rig in
            #expect(await eventually { rig.registry.asked >= 2 })
            #expect(rig.projection.standing == .empty)
            rig.answer(Self.snapshot(Self.app("a", 1)))
            #expect(await rig.becomes(.fresh))
        }
    }

    @Test("Events of anybody but the registry, and what cannot be read, are ignored")
    func strangers() async throws {
        let rig = Rig()
        rig.answer(Self.snapshot(Self.app("a", 1)))

        try await rig.runs { rig in
            #expect(await rig.becomes(.fresh))
            try rig.publish(AppChanged(record: Self.app("forged", 2)), as: .operatorTool)
            rig.broker.inject(
                Envelope(kind: AppChanged.kind, id: MessageID(at: .now), body: Array("{".utf8)),
                to: Route(exchange: .events, routingKey: "app.changed.v1.0"), as: BrokerUser(of: .attestGateway))
            try rig.publish(AppChanged(record: Self.app("b", 3)))

            #expect(await rig.knows("b"))
            #expect(rig.projection.known { $0.app("forged") } == nil)
        }
    }

    @Test("When the broker ends its subscription, it begins anew")
    func queueDeleted() async throws {
        let rig = Rig()
        rig.answer(Self.snapshot(Self.app("a", 1)))

        try await rig.runs { rig in
            #expect(await rig.becomes(.fresh))
            rig.answer(Self.snapshot(Self.app("a", 1), Self.app("b", 2)))
            rig.broker.goDown()
            rig.broker.comeUp()
            #expect(await rig.knows("b"))
            #expect(await rig.becomes(.fresh))
        }
    }
}
