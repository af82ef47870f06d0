import SQLite
import Testing

@Suite("Migrations")
struct MigrationTests {
    let store = TemporaryStore()
    static let first = Migration(
        1, "notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY); INSERT INTO notes VALUES (1);")
    static let second = Migration(
        2, "copy", "CREATE TABLE copies AS SELECT id FROM notes; INSERT INTO notes VALUES (2)")
    static let broken = Migration(3, "broken", "INSERT INTO notes VALUES (3); INSERT INTO nowhere VALUES (1);")

    static func notes(_ migrations: Migration...) -> MigrationSequence {
        MigrationSequence(name: "notes", migrations: migrations)
    }
    static let lane = MigrationSequence(
        name: "lane", migrations: [Migration(1, "inbox", "CREATE TABLE inbox (id BLOB PRIMARY KEY) STRICT")])

    @Test("They run in order, once, also when they come at a later opening")
    func order() async throws {
        try await store.create(schema: [Self.notes(Self.first)]).close()

        try await store.open(schema: [Self.notes(Self.first, Self.second)]).close()
        let database = try await store.open(schema: [Self.notes(Self.first, Self.second)])
        let copies = try await database.read { try $0.all("SELECT id FROM copies") { try $0.int(0) } }

        #expect(copies == [1])
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("Each module brings its own sequence")
    func sequences() async throws {
        try await store.create(schema: [Self.notes(Self.first)]).close()

        let database = try await store.open(schema: [Self.lane, Self.notes(Self.first)])
        let applied = try await database.read {
            try $0.all("SELECT sequence, version, name FROM store_migrations ORDER BY sequence") {
                "\(try $0.text(0)) \(try $0.int(1)) \(try $0.text(2))"
            }
        }

        #expect(applied == ["lane 1 inbox", "notes 1 notes"])
    }

    @Test("A migration that was edited after it ran is refused")
    func changed() async throws {
        try await store.create(schema: [Self.notes(Self.first)]).close()
        let edited = Migration(1, "notes", Self.first.script + " ")

        await #expect(throws: StoreRefusal.migrationChanged(path: store.path, sequence: "notes", version: 1)) {
            _ = try await store.open(schema: [Self.notes(edited)])
        }
    }

    @Test("A store that a newer program has opened is refused, and left as it was")
    func newer() async throws {
        try await store.create(schema: [Self.notes(Self.first, Self.second)]).close()

        let refusal = StoreRefusal.storeIsNewer(path: store.path, sequence: "notes", found: 2, known: 1)
        await #expect(throws: refusal) {
            _ = try await store.open(schema: [Self.lane, Self.notes(Self.first)])
        }
        let database = try await store.open(schema: [Self.notes(Self.first, Self.second)])

        #expect(try await database.read { try !$0.exists("SELECT 1 FROM sqlite_schema WHERE name = 'inbox'") })
    }

    @Test("A store with tables of a module that the program does not have is newer too")
    func unknownSequence() async throws {
        try await store.create(schema: [Self.notes(Self.first), Self.lane]).close()

        let refusal = StoreRefusal.storeIsNewer(path: store.path, sequence: "lane", found: 1, known: 0)
        await #expect(throws: refusal) { _ = try await store.open(schema: [Self.notes(Self.first)]) }
    }

    @Test("A migration that fails leaves nothing, those before it stay")
    func failing() async throws {
        try await store.create(schema: [Self.notes(Self.first)]).close()

        await #expect(throws: SQLiteError.self) {
            _ = try await store.open(schema: [Self.notes(Self.first, Self.second, Self.broken)])
        }
        let database = try await store.open(schema: [Self.notes(Self.first, Self.second)])

        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("A table can be rebuilt under the references to it, but not so that they dangle")
    func references() async throws {
        let parents = Migration(
            1, "parents", "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id));")
        let rows = Migration(2, "rows", "INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);")
        let rebuild = Migration(
            3, "rebuild",
            """
            CREATE TABLE new (id INTEGER PRIMARY KEY, more TEXT); INSERT INTO new (id) SELECT id FROM a;
            DROP TABLE a; ALTER TABLE new RENAME TO a;
            """)
        let dangle = Migration(4, "dangle", "DELETE FROM a")

        let database = try await store.create(schema: [Self.notes(parents, rows, rebuild)])
        await #expect(throws: SQLiteError.self) { try await database.write { _ = try $0.run("DELETE FROM a") } }
        await database.close()

        await #expect(throws: SQLiteError.self) {
            _ = try await store.open(schema: [Self.notes(parents, rows, rebuild, dangle)])
        }
    }
}
