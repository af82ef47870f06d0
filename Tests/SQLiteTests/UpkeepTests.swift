import Foundation
import SQLite
import Testing

@Suite("Upkeep")
struct UpkeepTests {
    let store = TemporaryStore()

    @Test("A sound store has no findings")
    func sound() async throws {
        let database = try await store.create()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }

        #expect(try await database.checkIntegrity() == [])
    }

    @Test("A damaged page is found")
    func damaged() async throws {
        let database = try await store.create()
        try await database.write { transaction in
            for _ in 0..<200 { try transaction.run("INSERT INTO notes (body) VALUES (zeroblob(1000))") }
        }
        await database.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: store.path))
        // The last page but one: a leaf of the only table that has so many.
        try file.seek(toOffset: try file.seekToEnd() - 8192)
        try file.write(contentsOf: Data(repeating: 0xff, count: 64))
        try file.close()

        let findings = try await store.open().checkIntegrity()

        #expect(!findings.isEmpty)
    }

    @Test("A checkpoint empties the log, except under a reader, and says so")
    func checkpoint() async throws {
        let database = try await store.create()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        let log = URL(fileURLWithPath: store.path + "-wal")
        #expect(try Data(contentsOf: log).count > 0)

        #expect(try await database.checkpoint())

        #expect(try Data(contentsOf: log).count == 0)
    }

    @Test("A backup is a store as it was when it was asked for")
    func backup() async throws {
        let database = try await store.create()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1), (2)") }
        let copy = store.folder.appendingPathComponent("copy.sqlite").path

        try await database.backup(to: copy)
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (3)") }

        let opened = try await Database.open(at: copy, as: TemporaryStore.identity, schema: TemporaryStore.schema)
        #expect(try await opened.noteIDs() == [1, 2])
        #expect(try await opened.checkIntegrity() == [])
        let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("A backup overwrites nothing")
    func backupOntoFile() async throws {
        let database = try await store.create()

        await #expect(throws: StoreRefusal.storeExists(path: store.path)) {
            try await database.backup(to: store.path)
        }

        let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
        #expect(!files.contains { $0.contains(".new") })
    }

    @Test("Files as a killed process leaves them in a transaction hold what was committed before it")
    func killedInTransaction() async throws {
        var configuration = DatabaseConfiguration()
        // So small that pages go into the log before the commit.
        configuration.pageCache = 64 << 10
        let database = try await store.create(configuration)
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        let after = TemporaryStore()
        let (from, to) = (store.path, after.path)

        await #expect(throws: Objection.self) {
            try await database.write { transaction in
                for _ in 0..<500 { try transaction.run("INSERT INTO notes (body) VALUES (zeroblob(1000))") }
                // What the kernel has at this moment is what it would have after kill -9.
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
                }
                throw Objection()
            }
        }
        let log = try FileManager.default.attributesOfItem(atPath: to + "-wal")[.size] as? Int

        #expect(try #require(log) > 100_000)
        let opened = try await after.open()
        #expect(try await opened.noteIDs() == [1])
        #expect(try await opened.checkIntegrity() == [])
    }
}
