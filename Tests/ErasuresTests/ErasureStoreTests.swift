import Erasures
import Foundation
import Lane
import Messages
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Erasures")
struct ErasureStoreTests {
    static let ann = Customer(OrganisationID(rawValue: "demo"), AppUserID(rawValue: "ann"))

    @Test("An erasure takes what is from its time or before, of this user in this organisation")
    func covering() async throws {
        let folder = TemporaryFolder()
        let database = try await Self.database(in: folder)
        try await database.write { try ErasureStore.record(Self.erasure(at: 5), of: Self.ann, in: $0) }
        func covers(_ time: Int64, _ customer: Customer = Self.ann) async throws -> Bool {
            try await database.read { try ErasureStore.covers(Timestamp(clamping: time), of: customer, in: $0) }
        }

        #expect(try await covers(4))
        #expect(try await covers(5))
        #expect(try await !covers(6))
        #expect(try await !covers(4, Customer(Self.ann.organisation, AppUserID(rawValue: "ben"))))
        #expect(try await !covers(4, Customer(OrganisationID(rawValue: "other"), Self.ann.user)))
    }

    @Test("Of several erasures the first after it took a thing, and the newest is what is told of the user")
    func several() async throws {
        let folder = TemporaryFolder()
        let database = try await Self.database(in: folder)
        try await database.write { transaction in
            for time: Int64 in [9, 5] {
                try ErasureStore.record(Self.erasure(at: time), of: Self.ann, in: transaction)
            }
        }

        let taken = try await database.read { snapshot in
            try [3, 7, 10].map { time in
                try ErasureStore.erasure(of: Self.ann, covering: Timestamp(clamping: time), in: snapshot)
            }
        }
        #expect(taken == [Self.erasure(at: 5), Self.erasure(at: 9), nil])
        let newest = try await database.read { try ErasureStore.newest(of: Self.ann, in: $0) }
        #expect(newest?.time == Timestamp(clamping: 9))
    }

    @Test("Erasures are followed the oldest first; one that is done leaves a digest and is not followed again")
    func following() async throws {
        let folder = TemporaryFolder()
        let database = try await Self.database(in: folder)
        try await database.write { transaction in
            for time: Int64 in [9, 5] {
                try ErasureStore.record(Self.erasure(at: time), of: Self.ann, in: transaction)
            }
        }

        for time: Int64 in [5, 9] {
            let pending = try #require(try await database.read { try ErasureStore.next(in: $0) })
            #expect(pending.customer == Self.ann)
            #expect(pending.erasure == Self.erasure(at: time))
            #expect(try await database.read { try ErasureStore.newest(of: Self.ann, in: $0)?.isPending } == true)
            try await database.write { transaction in
                try ErasureStore.finish(pending, in: transaction)
                // Told again.
                try ErasureStore.record(pending.erasure, of: pending.customer, in: transaction)
            }
        }

        #expect(try await database.read { try ErasureStore.next(in: $0)?.customer } == nil)
        #expect(try await database.read { try ErasureStore.newest(of: Self.ann, in: $0)?.isPending } == false)
        #expect(
            try await database.read { snapshot in
                try snapshot.exists("SELECT 1 FROM erasures WHERE user IS NOT NULL")
            } == false)
    }

    @Test("An erasure is found by the command that asked for it")
    func command() async throws {
        let folder = TemporaryFolder()
        let database = try await Self.database(in: folder)
        let erasure = Self.erasure(at: 5)
        try await database.write { try ErasureStore.record(erasure, of: Self.ann, in: $0) }

        let times = try await database.read { snapshot in
            try [erasure.command, MessageID(rawValue: "other")].map { command in
                try ErasureStore.time(of: command, of: Self.ann, in: snapshot)
            }
        }

        #expect(times == [Timestamp(clamping: 5), nil])
    }

    private static func erasure(at time: Int64) -> ErasureStore.Erasure {
        ErasureStore.Erasure(time: Timestamp(clamping: time), command: MessageID(rawValue: "erase \(time)"))
    }

    /// A store as services have one.
    private static func database(in folder: TemporaryFolder) async throws -> Database {
        let table = MigrationSequence(
            name: "erasures",
            migrations: [
                Migration(
                    1, "erasures",
                    """
                    CREATE TABLE erasures (
                        organisation TEXT NOT NULL, user_digest BLOB NOT NULL, erased_at INTEGER NOT NULL,
                        command TEXT NOT NULL, user TEXT, PRIMARY KEY (organisation, user_digest, erased_at)
                    ) STRICT, WITHOUT ROWID;
                    """)
            ])
        return try await Database.create(
            at: folder.url.appendingPathComponent("store.sqlite").path, as: StoreIdentity(service: "some-service"),
            schema: [table], createdAt: Date(timeIntervalSince1970: 0))
    }
}
