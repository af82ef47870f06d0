import Apps
import Foundation
import Lane
import Messages
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Apps")
struct AppsTests {
    static let (organisation, app) = (OrganisationID(rawValue: "demo"), AppID(rawValue: "com.example.tunes"))

    @Test(
        "Of an app the highest version counts, in whatever order they come", arguments: [[1, 2], [2, 1], [2, 1, 2]])
    func versions(order: [Int]) async throws {
        let folder = TemporaryFolder()
        let database = try await Self.database(in: folder)

        for version in order {
            let record = AppRecord(
                organisation: Self.organisation, app: Self.app, version: version, changedAt: Timestamp(clamping: 0))
            try await database.write { try AppStore.record(record, in: $0) }
        }

        let kept = try await database.read { try AppStore.record(of: Self.app, of: Self.organisation, in: $0) }
        #expect(kept?.version == 2)
        #expect(try await database.read { try AppStore.all(in: $0) } == [kept])
    }

    @Test("An app is known from what was told of it on, and in its organisation only")
    func knowing() async throws {
        let folder = TemporaryFolder()
        let database = try await Self.database(in: folder)
        func knows(_ organisation: OrganisationID) async throws -> Bool {
            try await database.read { try AppStore.knows(Self.app, of: organisation, in: $0) }
        }
        #expect(try await !knows(Self.organisation))

        let record = AppRecord(
            organisation: Self.organisation, app: Self.app, version: 1, changedAt: Timestamp(clamping: 0))
        try await database.write { try AppStore.record(record, in: $0) }

        #expect(try await knows(Self.organisation))
        #expect(try await !knows(OrganisationID(rawValue: "other")))
    }

    /// A store as services have one.
    private static func database(in folder: TemporaryFolder) async throws -> Database {
        let table = MigrationSequence(
            name: "apps",
            migrations: [
                Migration(
                    1, "apps",
                    """
                    CREATE TABLE apps (
                        organisation TEXT NOT NULL, app TEXT NOT NULL, version INTEGER NOT NULL, record BLOB NOT NULL,
                        PRIMARY KEY (organisation, app)
                    ) STRICT, WITHOUT ROWID;
                    """)
            ])
        return try await Database.create(
            at: folder.url.appendingPathComponent("store.sqlite").path, as: StoreIdentity(service: "some-service"),
            schema: [table], createdAt: Date(timeIntervalSince1970: 0))
    }
}
