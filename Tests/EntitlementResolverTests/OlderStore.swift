import Foundation
import SQLite
import TestSupport

@testable import EntitlementResolver

/// A store that an earlier release has left behind.
struct OlderStore {
    private static let identity = StoreIdentity(service: "entitlement-resolver")
    private static let schema = EntitlementResolverService.schema

    private let folder = TemporaryFolder()
    private var path: String { folder.url.appendingPathComponent("store.sqlite").path }

    /// - Parameters:
    ///   - count: how many migrations that release knew.
    ///   - write: puts in what it had.
    init(migrations count: Int, _ write: @escaping @Sendable (borrowing Transaction) throws -> Void) async throws {
        let known = MigrationSequence(name: Self.schema.name, migrations: Array(Self.schema.migrations.prefix(count)))
        let database = try await Database.create(
            at: path, as: Self.identity, schema: [known], createdAt: Date(timeIntervalSince1970: 0))
        try await database.write { try write($0) }
        await database.close()
    }

    /// The store as this release makes it of that.
    func migrated() async throws -> Database {
        try await Database.open(at: path, as: Self.identity, schema: [Self.schema])
    }
}
