import Foundation
import Glibc
import SQLite
import Testing

@Suite("Stores")
struct StoreTests {
    let store = TemporaryStore()

    @Test("A store that is not there is not made by opening it")
    func missing() async throws {
        await #expect(throws: StoreRefusal.storeMissing(path: store.path)) { _ = try await store.open() }

        #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path) == [])
    }

    @Test("A store that is there is not made again")
    func exists() async throws {
        let database = try await store.create()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        await database.close()

        await #expect(throws: StoreRefusal.storeExists(path: store.path)) { _ = try await store.create() }

        #expect(try await store.open().noteIDs() == [1])
    }

    @Test("What an interrupted creation left behind is in nobody's way")
    func interruptedCreation() async throws {
        try Data("half a store".utf8).write(to: URL(fileURLWithPath: store.path + ".new"))

        try await store.create().close()

        #expect(!FileManager.default.fileExists(atPath: store.path + ".new"))
    }

    @Test("What was written is there after closing and opening")
    func reopening() async throws {
        let database = try await store.create()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        await database.close()

        #expect(try await store.open().noteIDs() == [1])
    }

    @Test("A closed store answers nothing, and has no log left")
    func closed() async throws {
        let database = try await store.create()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }

        await database.close()
        await database.close()

        await #expect(throws: StoreRefusal.closed) { try await database.write { _ in } }
        await #expect(throws: StoreRefusal.closed) { try await database.read { _ in } }
        #expect(!FileManager.default.fileExists(atPath: store.path + "-wal"))
    }

    @Test("A store that nobody refers to any more can be opened again")
    func forgotten() async throws {
        do {
            let database = try await store.create()
            try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        }

        #expect(try await store.open().noteIDs() == [1])
    }

    @Test("Only its owner can read a store, also one that came back with other permissions")
    func permissions() async throws {
        try await store.create().close()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.path)

        let database = try await store.open()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }

        for suffix in ["", "-wal", "-shm", ".lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: store.path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
    }

    @Test(
        "A store made for something else is refused, and the refusal names both",
        arguments: [
            StoreIdentity(service: "other", partition: 1, partitionCount: 4),
            StoreIdentity(service: "notes", partition: 2, partitionCount: 4),
            StoreIdentity(service: "notes", partition: 1, partitionCount: 8),
        ])
    func madeForAnother(identity: StoreIdentity) async throws {
        try await store.create().close()

        let refusal = StoreRefusal.madeForAnother(
            path: store.path, found: TemporaryStore.identity, expected: identity)
        await #expect(throws: refusal) { _ = try await store.open(as: identity) }

        #expect(refusal.description.contains("notes, partition 1 of 4"))
        #expect(refusal.description.contains(identity.description))
    }

    @Test("A damaged store, and what was never one, is named to whoever has to look at it", arguments: [true, false])
    func damaged(wasStore: Bool) async throws {
        try await store.create().close()
        if wasStore {
            try FileHandle(forWritingTo: URL(fileURLWithPath: store.path)).truncate(atOffset: 5000)
        } else {
            try Data(String(repeating: "no database", count: 100).utf8).write(to: URL(fileURLWithPath: store.path))
        }

        let refusal = await #expect(throws: StoreRefusal.self) { _ = try await store.open() }

        guard case .storeDamaged(store.path, let words)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(refusal?.description.contains(store.path) == true && refusal?.description.contains(words) == true)
    }

    @Test("A file that is no store is refused and not touched", arguments: [Data(), Data("text, no database".utf8)])
    func notAStore(content: Data) async throws {
        try content.write(to: URL(fileURLWithPath: store.path))

        await #expect(throws: (any Error).self) { _ = try await store.open() }

        #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == content)
    }

    @Test("What is no file, such as a device, is refused and keeps its permissions")
    func noFile() async throws {
        #expect(mkfifo(store.path, 0o644) == 0)
        #expect(chmod(store.path, 0o644) == 0)

        await #expect(throws: StoreRefusal.notAStore(path: store.path)) { _ = try await store.open() }

        var status = stat()
        #expect(stat(store.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o644)
    }
}

@Suite("Store locks")
struct StoreLockTests {
    let store = TemporaryStore()

    @Test("A store is opened once at a time")
    func twice() async throws {
        let database = try await store.create()

        let refusal = StoreRefusal.heldByAnotherProcess(path: store.path, pid: getpid())
        await #expect(throws: refusal) { _ = try await store.open() }
        await database.close()

        try await store.open().close()
    }

    @Test("A store that another process holds is refused with its number, and free when that process is killed")
    func otherProcess() async throws {
        try await store.create().close()
        // The lock goes with the descriptor, which the shell, become `cat`, has open until it dies.
        let holder = try OtherProcess(
            "/bin/sh",
            ["-c", "exec 9<>\"$0\"; flock -x 9; echo $$ >\"$0\"; echo locked; exec cat", store.path + ".lock"])

        let refusal = StoreRefusal.heldByAnotherProcess(path: store.path, pid: holder.pid)
        await #expect(throws: refusal) { _ = try await store.open() }
        holder.kill()

        try await store.open().close()
    }
}
