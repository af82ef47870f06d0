import AttestGateway
import Foundation
import HTTP
import Messages
import Messaging
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("What an edge knows of the registry")
struct RegistryViewTests {
    static func app(_ version: Int, _ policy: LinkMovePolicy = .move) -> AppRecord {
        AppRecord(
            organisation: "acme", app: "com.example.tunes", linkMovePolicy: policy, version: version,
            changedAt: .epoch)
    }

    @Test("The higher version stays, whichever comes last")
    func versions() {
        var view = RegistryView(.init(version: 5, apps: [Self.app(5)], keys: []))

        let news = [4, 5, 6].map { view.take(Self.app($0, .keep)) }
        view.merge(.init(version: 5, apps: [Self.app(5)], keys: []))

        #expect(news == [false, false, true])
        #expect(view.app("com.example.tunes")?.linkMovePolicy == .keep)
        #expect(view.version == 6)
    }

    @Test("Snapshot and events give the same in any order")
    func anyOrder() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let records = (1...6).map { Self.app($0, $0 % 2 == 0 ? .keep : .move) }
        for _ in 0..<100 {
            var view = RegistryView(.init(version: 0, apps: [], keys: []))
            for record in records.shuffled(using: &random) {
                if Bool.random(using: &random) {
                    view.merge(.init(version: record.version, apps: [record], keys: []))
                } else {
                    view.take(record)
                }
            }
            #expect(view.app("com.example.tunes") == records.last, "seed \(seed)")
            #expect(view.version == 6, "seed \(seed)")
        }
    }

    @Test("A bundle id that two organisations have connected names no app by itself")
    func ambiguous() {
        let other = AppRecord(organisation: "umbrella", app: "com.example.tunes", version: 2, changedAt: .epoch)
        let view = RegistryView(.init(version: 2, apps: [Self.app(1), other], keys: []))

        #expect(view.app("com.example.tunes") == nil)
        #expect(view.app("com.example.tunes", of: "umbrella") == other)
    }
}

@Suite("Looking up in the registry")
struct RegistryProjectionTests {
    static let known = RegistrySnapshot.Value(version: 1, apps: [.tunes], keys: [])

    @Test("Before the first snapshot nothing is known and nothing is absent")
    func empty() async {
        let projection = RegistryProjection(ask: { _, _ in .applied(Self.known) }, metrics: MetricsRegistry())

        #expect(await projection.find { $0.app("com.example.tunes") }.word == "unavailable")
        #expect(projection.readiness == .failed("registry_snapshot_missing"))
    }

    @Test("An app that was connected a moment ago is found by asking")
    func justConnected() async {
        let projection = RegistryProjection(ask: { _, _ in .applied(Self.known) }, metrics: MetricsRegistry())
        projection.begin(with: .init(version: 0, apps: [], keys: []))

        #expect(projection.known { $0.app("com.example.tunes") } == nil)
        #expect(await projection.find { $0.app("com.example.tunes") }.word == "found")
        #expect(projection.known { $0.app("com.example.tunes") } == .tunes)
    }

    @Test("Absent is said once the registry has said so, and not while it is away")
    func absent() async {
        let isAway = Mutex(false)
        let projection = RegistryProjection(
            ask: { _, _ in
                if isAway.withLock({ $0 }) { throw Asker.NoAnswer() }
                return .applied(Self.known)
            }, metrics: MetricsRegistry())
        projection.begin(with: Self.known)

        #expect(await projection.find { $0.app("com.example.new") }.word == "absent")
        isAway.withLock { $0 = true }
        #expect(await projection.find { $0.app("com.example.new") }.word == "unavailable")
        #expect(await projection.find { $0.app("com.example.tunes") }.word == "found")
    }

    @Test("A stale copy serves what it knows, and says of nothing that it is not there")
    func stale() async {
        let asked = Mutex(0)
        let projection = RegistryProjection(
            ask: { _, _ in
                asked.withLock { $0 += 1 }
                return .applied(Self.known)
            }, metrics: MetricsRegistry())
        projection.begin(with: Self.known)
        projection.lostTouch()

        #expect(await projection.find { $0.app("com.example.tunes") }.word == "found")
        #expect(await projection.find { $0.app("com.example.new") }.word == "unavailable")
        #expect(projection.readiness == .degraded("registry_snapshot_stale"))
        #expect(asked.withLock { $0 } == 0)
    }

    @Test("An event that comes while the registry is asked is not undone by the older answer")
    func eventDuringQuestion() async {
        let entered = Gate()
        let goOn = Gate()
        let projection = RegistryProjection(
            ask: { _, _ in
                entered.open()
                await goOn.wait()
                return .applied(Self.known)
            }, metrics: MetricsRegistry())
        projection.begin(with: Self.known)

        async let finding = projection.find { $0.app("com.example.new") }
        await entered.wait()
        let new = AppRecord(organisation: "acme", app: "com.example.new", version: 2, changedAt: .epoch)
        #expect(projection.take(new))
        goOn.open()

        #expect(await finding.word == "found")
        #expect(projection.snapshot?.version == 2)
    }

    @Test("However many ask at once, each gets the answer to a question put after he came, and few are put")
    func coalesced() async {
        let asked = Mutex(0)
        let entered = Gate()
        let goOn = Gate()
        let projection = RegistryProjection(
            ask: { _, _ in
                asked.withLock { $0 += 1 }
                entered.open()
                await goOn.wait()
                return .applied(Self.known)
            }, distance: .zero, metrics: MetricsRegistry())
        projection.begin(with: Self.known)

        await withTaskGroup(of: String.self) { group in
            group.addTask { await projection.find { $0.app("com.example.first") }.word }
            await entered.wait()
            // The question under way began before these came.
            for number in 0..<100 {
                group.addTask { await projection.find { $0.app(AppID(rawValue: "com.example.\(number)")) }.word }
            }
            goOn.open()
            for await word in group { #expect(word == "absent") }
        }

        #expect((2...4).contains(asked.withLock { $0 }))
    }
}

@Suite("The registry's last known state on disk")
struct SnapshotFileTests {
    let folder = TemporaryFolder()

    @Test("It comes back as it was, readable by its owner alone")
    func roundTrip() async throws {
        let file = SnapshotFile(in: folder.path)
        let snapshot = RegistrySnapshot.Value(version: 2, apps: [.tunes], keys: [EdgeRig.key])

        try await file.save(.init(version: 1, apps: [], keys: []), at: .epoch)
        try await file.save(snapshot, at: .epoch)

        #expect(try await file.load() == snapshot)
        let path = folder.path + "/registry-snapshot.json"
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["registry-snapshot.json"])
    }

    @Test("None is nil; one that is none of ours is an error", arguments: ["", "{}", "[", #"{"savedAt":1}"#])
    func unreadable(text: String) async throws {
        let file = SnapshotFile(in: folder.path)
        #expect(try await file.load() == nil)

        try text.write(toFile: folder.path + "/registry-snapshot.json", atomically: true, encoding: .utf8)

        await #expect(throws: (any Error).self) { try await file.load() }
    }

    @Test("A folder that is not there is made, for its owner alone; one that cannot be is an error, not the end")
    func noFolder() async throws {
        let known = RegistrySnapshot.Value(version: 0, apps: [], keys: [])

        try await SnapshotFile(in: folder.path + "/a/b").save(known, at: .epoch)

        #expect(try await SnapshotFile(in: folder.path + "/a/b").load() == known)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/a/b")
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        let file = folder.path + "/a/b/registry-snapshot.json"
        await #expect(throws: (any Error).self) { try await SnapshotFile(in: file).save(known, at: .epoch) }
    }
}

extension RegistryProjection.Finding {
    var word: String {
        switch self {
        case .found: "found"
        case .absent: "absent"
        case .unavailable: "unavailable"
        }
    }
}
