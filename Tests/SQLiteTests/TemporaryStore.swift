import Foundation
import SQLite

/// A folder for the stores of one test, removed with it.
final class TemporaryStore: Sendable {
    static let identity = StoreIdentity(service: "notes", partition: 1, partitionCount: 4)
    static let schema = [
        MigrationSequence(
            name: "notes",
            migrations: [Migration(1, "notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY, body ANY) STRICT")])
    ]

    let folder: URL
    var path: String { folder.appendingPathComponent("notes.sqlite").path }

    init() {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A new store with an empty table `notes (id, body)`.
    func create(
        schema: [MigrationSequence] = TemporaryStore.schema,
        _ configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        try await Database.create(
            at: path, as: Self.identity, schema: schema, createdAt: Date(timeIntervalSince1970: 1_000),
            configuration: configuration)
    }

    func open(
        as identity: StoreIdentity = TemporaryStore.identity, schema: [MigrationSequence] = TemporaryStore.schema
    ) async throws -> Database {
        try await Database.open(at: path, as: identity, schema: schema)
    }
}

extension Database {
    /// How many notes the readers see.
    nonisolated func noteCount() async throws -> Int? {
        try await read { try $0.first("SELECT count(*) FROM notes") { try $0.int(0) } }
    }

    /// The notes that the readers see, in order of their ids.
    nonisolated func noteIDs() async throws -> [Int] {
        try await read { try $0.all("SELECT id FROM notes ORDER BY id") { try $0.int(0) } }
    }
}

/// What the body of a unit of work throws in tests.
struct Objection: Error {}
