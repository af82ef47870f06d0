import Foundation
import Glibc
import SQLite
import Testing

@Suite("A full disk", .enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
struct DiskFullTests {
    @Test("A commit on a full disk stores nothing, is nobody's fault but the environment's, and the next one works")
    func commit() async throws {
        let disk = try SmallDisk()
        let database = try await Database.create(
            at: disk.path + "/notes.sqlite", as: TemporaryStore.identity, schema: TemporaryStore.schema,
            createdAt: Date(timeIntervalSince1970: 1_000))
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        try disk.fill()

        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { transaction in
                for _ in 0..<100 { try transaction.run("INSERT INTO notes (body) VALUES (zeroblob(4000))") }
            }
        }
        let read = try await database.noteIDs()
        try disk.empty()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (2)") }

        #expect(error?.fault == .environment)
        #expect(error?.isOurs == true)
        #expect(read == [1])
        #expect(try await database.noteIDs() == [1, 2])
        #expect(try await database.checkIntegrity() == [])
        await database.close()
    }

    @Test("A disk that fills up in the middle of a batch lets none of its savepoints through")
    func batch() async throws {
        let disk = try SmallDisk()
        var configuration = DatabaseConfiguration()
        // So small that the log is written to before the commit.
        configuration.pageCache = 64 << 10
        let database = try await Database.create(
            at: disk.path + "/notes.sqlite", as: TemporaryStore.identity, schema: TemporaryStore.schema,
            createdAt: Date(timeIntervalSince1970: 1_000), configuration: configuration)
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        try disk.fill()

        await #expect(throws: SQLiteError.self) {
            try await database.write { transaction in
                for _ in 0..<500 {
                    // Like a loop that takes every error for its message's.
                    _ = try? transaction.savepoint {
                        _ = try $0.run("INSERT INTO notes (body) VALUES (zeroblob(4000))")
                    }
                }
            }
        }
        try disk.empty()

        #expect(try await database.noteIDs() == [1])
        #expect(try await database.checkIntegrity() == [])
        await database.close()
    }

    @Test("A store on a full disk is named when it cannot be opened, and opens once there is room")
    func opening() async throws {
        let disk = try SmallDisk()
        let path = disk.path + "/notes.sqlite"
        let database = try await Database.create(
            at: path, as: TemporaryStore.identity, schema: TemporaryStore.schema,
            createdAt: Date(timeIntervalSince1970: 1_000))
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        await database.close()
        try disk.fill()

        let refusal = await #expect(throws: StoreRefusal.self) {
            _ = try await Database.open(at: path, as: TemporaryStore.identity, schema: TemporaryStore.schema)
        }
        try disk.empty()
        let opened = try await Database.open(at: path, as: TemporaryStore.identity, schema: TemporaryStore.schema)

        let text = refusal.map { "\($0)" } ?? ""
        #expect(
            text.hasPrefix("The store at \(path) cannot be opened") && text.hasSuffix("Is its disk full?"), "\(text)")
        #expect(try await opened.noteIDs() == [1])
        await opened.close()
    }

    @Test("A store cannot be made on a full disk, and nothing that looks like one is left")
    func creation() async throws {
        let disk = try SmallDisk()
        try disk.fill()
        let path = disk.path + "/notes.sqlite"

        await #expect(throws: (any Error).self) {
            _ = try await Database.create(
                at: path, as: TemporaryStore.identity, schema: TemporaryStore.schema,
                createdAt: Date(timeIntervalSince1970: 1_000))
        }

        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

/// A file system of one megabyte in memory, unmounted with the last reference.
private final class SmallDisk {
    static var isPossible: Bool { (try? SmallDisk()) != nil }

    private let folder = TemporaryStore()
    var path: String { folder.folder.path }

    init() throws {
        guard mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 else { throw Objection() }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    func fill() throws {
        let file = open(path + "/ballast", O_CREAT | O_WRONLY, 0o600)
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 4096)
        while write(file, block, block.count) > 0 {}
    }

    func empty() throws { try FileManager.default.removeItem(atPath: path + "/ballast") }
}
