import Dispatch
import SQLite
import Testing

@Suite("Reading")
struct ReadingTests {
    let store = TemporaryStore()

    @Test("A reader is answered in the middle of a write and sees the store from before it")
    func readDuringWrite() async throws {
        let database = try await store.create()
        let (hasWritten, written) = AsyncStream<Void>.makeStream()
        let mayCommit = DispatchSemaphore(value: 0)

        async let write: Void = database.write { transaction in
            try transaction.run("INSERT INTO notes (id) VALUES (1)")
            written.finish()
            // On the writer's own thread, so that no other task waits.
            mayCommit.wait()
        }
        for await _ in hasWritten {}
        let during = try await database.noteCount()
        mayCommit.signal()
        try await write

        #expect(during == 0)
        #expect(try await database.noteCount() == 1)
    }

    @Test("A snapshot does not change under a commit, and does not hold it up")
    func commitDuringRead() async throws {
        let database = try await store.create()
        let (hasRead, read) = AsyncStream<Void>.makeStream()
        let mayReadAgain = DispatchSemaphore(value: 0)

        async let counts = database.read { snapshot in
            let before = try snapshot.first("SELECT count(*) FROM notes") { try $0.int(0) }
            read.finish()
            mayReadAgain.wait()
            let after = try snapshot.first("SELECT count(*) FROM notes") { try $0.int(0) }
            return [before, after]
        }
        for await _ in hasRead {}
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1)") }
        mayReadAgain.signal()

        #expect(try await counts == [0, 0])
        #expect(try await database.noteCount() == 1)
    }

    @Test("A reader cannot write, and that is the statement's fault")
    func writeRefused() async throws {
        let database = try await store.create()

        let error = await #expect(throws: SQLiteError.self) {
            try await database.read { try $0.forEach("INSERT INTO notes (id) VALUES (1)") { _ in } }
        }

        #expect(error?.fault == .statement)
        #expect(try await database.noteCount() == 0)
    }

    @Test("More reads than readers are all answered")
    func manyReads() async throws {
        let database = try await store.create()

        let answers = try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await database.read { try $0.first("SELECT ?", SQLValue(number)) { try $0.int(0) } }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(answers == Set(0..<50))
    }

    @Test("A read ends when its time is up: in a statement that would never end, and among ever more short ones")
    func deadline() async throws {
        var configuration = DatabaseConfiguration()
        configuration.readers = 1
        let database = try await store.create(configuration)

        await #expect(throws: ReadOverdue.self) {
            try await database.read(until: .now + .milliseconds(20)) { snapshot in
                try snapshot.first(
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
                ) { try $0.int(0) }
            }
        }
        await #expect(throws: ReadOverdue.self) {
            try await database.read { snapshot in
                try snapshot.until(.now + .milliseconds(20)) { snapshot in
                    while true { _ = try snapshot.first("SELECT 1") { try $0.int(0) } }
                }
            }
        }

        // The next one has all the time.
        #expect(try await database.noteCount() == 0)
    }

    @Test("Cancelling the task stops a statement that would never end")
    func cancellation() async throws {
        var configuration = DatabaseConfiguration()
        configuration.readers = 1
        let database = try await store.create(configuration)
        let (hasStarted, started) = AsyncStream<Void>.makeStream()

        let endless = Task {
            try await database.read { snapshot in
                started.finish()
                return try snapshot.first(
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
                ) { try $0.int(0) }
            }
        }
        for await _ in hasStarted {}
        endless.cancel()

        await #expect(throws: CancellationError.self) { try await endless.value }
        #expect(try await database.noteCount() == 0)
    }

    @Test("A statement can run again inside its own rows")
    func nestedUse() async throws {
        let database = try await store.create()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1), (2), (3)") }

        let pairs = try await database.read { snapshot in
            let notes: SQL = "SELECT id FROM notes ORDER BY id"
            return try snapshot.all(notes) { outer in
                let id = try outer.int(0)
                return try snapshot.all(notes) { "\(id)\(try $0.int(0))" }
            }
        }

        #expect(pairs == [["11", "12", "13"], ["21", "22", "23"], ["31", "32", "33"]])
    }

    @Test("Many different texts go through a small cache of statements")
    func statementCache() async throws {
        var configuration = DatabaseConfiguration()
        configuration.preparedStatements = 3
        let database = try await store.create(configuration)

        let numbers = try await database.read { snapshot in
            try (0..<500).map { number in
                try snapshot.first(SQL(composed: "SELECT \(number % 7) + ?"), SQLValue(number)) { try $0.int(0) }
            }
        }

        #expect(numbers == (0..<500).map { $0 % 7 + $0 })
    }

    @Test("A query is written once for both sides")
    func sharedQuery() async throws {
        @Sendable func bodies(in store: borrowing some Reading & ~Copyable) throws -> [String] {
            try store.all("SELECT body FROM notes ORDER BY id") { try $0.text(0) }
        }
        let database = try await store.create()

        let inside = try await database.write { transaction in
            try transaction.run("INSERT INTO notes (body) VALUES ('a')")
            return try bodies(in: transaction)
        }
        let outside = try await database.read { try bodies(in: $0) }

        #expect(inside == ["a"])
        #expect(outside == ["a"])
    }

    @Test("What is left over in a read that stops early does not disturb the next")
    func stoppingEarly() async throws {
        let database = try await store.create()
        try await database.write { _ = try $0.run("INSERT INTO notes (id) VALUES (1), (2), (3)") }

        let firsts = try await database.read { snapshot in
            try (0..<3).map { _ in try snapshot.first("SELECT id FROM notes ORDER BY id") { try $0.int(0) } }
        }

        #expect(firsts == [1, 1, 1])
    }

    @Test(
        "Statements that cannot be meant are refused",
        arguments: [
            ("", []), ("  -- nothing", []), ("SELECT 1; SELECT 2", []), ("SELECT ?", []), ("SELECT 1", [1]),
            ("SELECT \"notacolumn\" FROM notes", []), ("SELECT", []),
        ] as [(String, [SQLValue])])
    func refusedStatements(text: String, values: [SQLValue]) async throws {
        let database = try await store.create()

        let error = await #expect(throws: SQLiteError.self) {
            try await database.read { _ = try $0.exists(SQL(composed: text), bindings: values) }
        }

        #expect(error?.fault == .statement)
    }
}
