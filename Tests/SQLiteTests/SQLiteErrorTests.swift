import Foundation
import Glibc
import SQLite
import Testing

@Suite("Errors")
struct SQLiteErrorTests {
    static let shell = "/usr/bin/sqlite3"
    let store = TemporaryStore()

    @Test("A constraint is the statement's fault, and the value is in no description")
    func constraint() async throws {
        let database = try await store.create()

        let error = try #require(
            await #expect(throws: SQLiteError.self) {
                try await database.write { transaction in
                    try transaction.run("INSERT INTO notes (id, body) VALUES (?, ?)", 4711, "secret")
                    try transaction.run("INSERT INTO notes (id, body) VALUES (?, ?)", 4711, "secret")
                }
            })

        #expect(error.isUniqueViolation)
        #expect(!error.isOurs)
        #expect(error.description == "The store failed with code 1555")
        #expect(error.debugDescription.contains("UNIQUE constraint failed: notes.id"))
        #expect(error.debugDescription.contains("VALUES (?, ?)"))
        #expect(!error.debugDescription.contains("secret") && !error.debugDescription.contains("4711"))
    }

    @Test("A value of the wrong type for a strict column is the statement's fault")
    func strictColumn() async throws {
        let database = try await store.create()

        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (?)", "text") }
        }

        #expect(error?.fault == .statement)
    }

    @Test(
        "A lock that an operator's tool holds is the environment's fault, and gone with it",
        .enabled(if: access(Self.shell, X_OK) == 0, "sqlite3 is not installed"))
    func busy() async throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let database = try await store.create(configuration)
        // By way of a child, because the shell itself keeps its output until it ends.
        let operation = try OtherProcess(Self.shell, [store.path], input: "BEGIN IMMEDIATE;\n.system echo locked\n")

        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        }
        operation.kill()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (2)") }

        #expect(error?.fault == .environment)
        #expect(error?.sql == "BEGIN IMMEDIATE")
        #expect(try await database.noteIDs() == [2])
    }
}
