import Foundation
import SQLite
import TestSupport

/// A folder for the stores of one test, removed with it.
final class TemporaryStore: Sendable {
    static let identity = StoreIdentity(service: "notes", partition: 1, partitionCount: 4)
    static let schema = [
        MigrationSequence(
            name: "notes",
            migrations: [Migration(1, "notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY, body ANY) STRICT")])
    ]

    private let temporary = TemporaryFolder()
    var folder: URL { temporary.url }
    var path: String { folder.appendingPathComponent("notes.sqlite").path }

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
