import SQLite
import Testing

@Suite("Transactions")
struct TransactionTests {
    let store = TemporaryStore()

    @Test("What a transaction wrote is read back after its commit")
    func commit() async throws {
        let database = try await store.create()

        let changes = try await database.write { transaction in
            try transaction.run("INSERT INTO notes (id, body) VALUES (?, ?), (?, ?)", 1, "one", 2, nil)
        }

        #expect(changes == 2)
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("A transaction whose body throws leaves nothing")
    func rollback() async throws {
        let database = try await store.create()

        await #expect(throws: Objection.self) {
            try await database.write { transaction in
                try transaction.run("INSERT INTO notes (id) VALUES (1)")
                throw Objection()
            }
        }

        #expect(try await database.noteIDs() == [])
    }

    @Test("A row that was there already counts as no change")
    func conflictWithoutChange() async throws {
        let database = try await store.create()

        let changes = try await database.write { transaction in
            try (1...2).map { _ in
                try transaction.run("INSERT INTO notes (id) VALUES (?) ON CONFLICT DO NOTHING", 7)
            }
        }

        #expect(changes == [1, 0])
    }

    @Test("A statement that writes can give its rows back")
    func returning() async throws {
        let database = try await store.create()

        let ids = try await database.write { transaction in
            try transaction.all("INSERT INTO notes (body) VALUES ('a'), ('b') RETURNING id") { try $0.int(0) }
        }

        #expect(ids == [1, 2])
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("A commit that is refused stores nothing, and the store goes on")
    func refusedCommit() async throws {
        let schema = [
            MigrationSequence(
                name: "notes",
                migrations: [
                    Migration(
                        1, "notes and marks",
                        """
                        CREATE TABLE notes (id INTEGER PRIMARY KEY);
                        CREATE TABLE marks (note INTEGER REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED);
                        """)
                ])
        ]
        let database = try await store.create(schema: schema)

        // A deferred reference is checked by COMMIT itself, which then leaves the transaction open.
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { transaction in
                try transaction.run("INSERT INTO notes (id) VALUES (1)")
                try transaction.run("INSERT INTO marks (note) VALUES (2)")
            }
        }
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (3)") }

        #expect(error?.fault == .statement)
        #expect(error?.sql == "COMMIT")
        #expect(try await database.noteIDs() == [3])
    }

    @Test("Once SQLite has rolled back by itself, nothing more gets in, even when the body goes on")
    func rolledBackInside() async throws {
        let database = try await store.create()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }

        await #expect(throws: SQLiteError.self) {
            try await database.write { transaction in
                try transaction.run("INSERT INTO notes (id) VALUES (2)")
                // Stands for a full disk: SQLite ends the whole transaction, not just the statement.
                _ = try? transaction.run("INSERT OR ROLLBACK INTO notes (id) VALUES (1)")
                _ = try? transaction.run("INSERT INTO notes (id) VALUES (3)")
                _ = try? transaction.savepoint { _ = try $0.run("INSERT INTO notes (id) VALUES (4)") }
            }
        }
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (5)") }

        #expect(try await database.noteIDs() == [1, 5])
    }

    @Test("A statement inside cannot end the transaction unnoticed", arguments: ["COMMIT", "ROLLBACK"])
    func endedInside(ending: String) async throws {
        let database = try await store.create()

        await #expect(throws: SQLiteError.self) {
            try await database.write { transaction in
                try transaction.run(SQL(composed: ending))
                try transaction.run("INSERT INTO notes (id) VALUES (1)")
            }
        }

        #expect(try await database.noteIDs() == [])
    }

    @Test("Writes from many tasks happen one after the other")
    func manyWriters() async throws {
        let database = try await store.create()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...100 {
                group.addTask {
                    try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (?)", SQLValue(id)) }
                }
            }
            try await group.waitForAll()
        }

        #expect(try await database.noteIDs() == Array(1...100))
    }
}

@Suite("Savepoints")
struct SavepointTests {
    let store = TemporaryStore()

    @Test("A savepoint whose body throws is undone alone")
    func undone() async throws {
        let database = try await store.create()

        try await database.write { transaction in
            try transaction.run("INSERT INTO notes (id) VALUES (1)")
            _ = try? transaction.savepoint { step in
                try step.run("INSERT INTO notes (id) VALUES (2)")
                throw Objection()
            }
            try transaction.savepoint { _ = try $0.run("INSERT INTO notes (id) VALUES (3)") }
        }

        #expect(try await database.noteIDs() == [1, 3])
    }

    @Test("An inner savepoint can fail while the outer one stays, and the other way round")
    func nested() async throws {
        let database = try await store.create()

        try await database.write { transaction in
            try transaction.savepoint { outer in
                try outer.run("INSERT INTO notes (id) VALUES (1)")
                _ = try? outer.savepoint { inner in
                    try inner.run("INSERT INTO notes (id) VALUES (2)")
                    throw Objection()
                }
            }
            _ = try? transaction.savepoint { outer in
                try outer.savepoint { _ = try $0.run("INSERT INTO notes (id) VALUES (3)") }
                throw Objection()
            }
        }

        #expect(try await database.noteIDs() == [1])
    }

    @Test("A failed statement undoes its savepoint, and the messages around it are stored")
    func failedStatement() async throws {
        let database = try await store.create()

        let refused = try await database.write { transaction in
            try [1, 2, 1, 3].filter { id in
                do {
                    try transaction.savepoint { _ = try $0.run("INSERT INTO notes (id) VALUES (?)", SQLValue(id)) }
                    return false
                } catch let error as SQLiteError where error.isUniqueViolation {
                    return true
                }
            }
        }

        #expect(refused == [1])
        #expect(try await database.noteIDs() == [1, 2, 3])
    }
}
