import Foundation
import SQLite

/// A folder for the stores of one test, removed with it.
final class TemporaryStore: Sendable {
    static let identity = StoreIdentity(service: "notes", partition: 1, partitionCount: 4)
    static let schema = [
        MigrationSequence(
            name: "notes",
            migrations: [
                Migration(1, "notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY, body ANY) STRICT")
            ])
    ]

    let folder: URL
    var path: String { folder.appendingPathComponent("notes.sqlite").path }

    init() {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A new store with an empty table `notes (id, body)`.
    func create(_ configuration: DatabaseConfiguration = DatabaseConfiguration()) async throws -> Database {
        try await Database.create(
            at: path, as: Self.identity, schema: Self.schema, createdAt: Date(timeIntervalSince1970: 1_000),
            configuration: configuration)
    }
}
