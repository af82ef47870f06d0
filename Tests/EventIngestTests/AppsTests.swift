import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@testable import EventIngest

@Suite("Apps")
struct AppsTests {
    @Test(
        "Of an app the highest version counts, in whatever order they come", arguments: [[1, 2], [2, 1], [2, 1, 2]])
    func versions(order: [Int]) async throws {
        let folder = TemporaryFolder()
        let database = try await Database.create(
            at: folder.url.appendingPathComponent("store.sqlite").path,
            as: StoreIdentity(service: "event-ingest"), schema: [.lane, EventIngestService.schema],
            createdAt: Date(timeIntervalSince1970: 0))
        let (organisation, app) = (OrganisationID(rawValue: "demo"), AppID(rawValue: "com.example.tunes"))

        for version in order {
            let record = AppRecord(
                organisation: organisation, app: app, version: version, changedAt: Timestamp(clamping: 0))
            try await database.write { try AppStore.record(record, in: $0) }
        }

        let kept = try await database.read { try AppStore.record(of: app, of: organisation, in: $0) }
        #expect(kept?.version == 2)
    }
}
