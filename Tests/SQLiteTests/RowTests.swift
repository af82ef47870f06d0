import SQLite
import Testing

@Suite("Rows and values")
struct RowTests {
    let store = TemporaryStore()

    @Test(
        "Every value comes back as it went in",
        arguments: [
            .null, 0, -1, 1, true, false, .integer(.min), .integer(.max), 1.5, .real(-0.0), .real(.infinity),
            "", "text", "żółć 🛒", "with\0zero", .blob([]), .blob([0]), .blob([255, 0, 1]),
            .blob([UInt8](repeating: 7, count: 100_000)),
        ] as [SQLValue])
    func roundTrip(value: SQLValue) async throws {
        let database = try await store.create()

        try await database.write { _ = try $0.run("INSERT INTO notes (id, body) VALUES (1, ?)", value) }
        let found = try await database.read { try $0.first("SELECT body FROM notes", as: Self.value) }

        #expect(found == value)
    }

    @Test(
        "A getter takes nothing but its own type, and converts nothing",
        arguments: [
            "NULL", "1", "2", "1.0", "'1'", "x'31'", "''", "x''", "CAST(x'ff' AS TEXT)", "9223372036854775807", "1e999",
        ])
    func strictTypes(expression: String) async throws {
        let database = try await store.create()

        let answers = try await database.read { snapshot in
            try snapshot.first(SQL(composed: "SELECT \(expression)")) { row in
                [
                    (try? row.int(0)) != nil, (try? row.bool(0)) != nil, (try? row.real(0)) != nil,
                    (try? row.text(0)) != nil, (try? row.blob(0)) != nil,
                ]
            }
        }

        let expected: [String: [Bool]] = [
            "1": [true, true, false, false, false],
            "2": [true, false, false, false, false],
            "9223372036854775807": [true, false, false, false, false],
            "1.0": [false, false, true, false, false],
            "1e999": [false, false, true, false, false],
            "'1'": [false, false, false, true, false],
            "''": [false, false, false, true, false],
            "x'31'": [false, false, false, false, true],
            "x''": [false, false, false, false, true],
        ]
        #expect(answers == expected[expression, default: [false, false, false, false, false]])
    }

    @Test("The complaint names the column and what is wrong with it, not the value")
    func complaint() async throws {
        let database = try await store.create()

        let error = await #expect(throws: SQLiteError.self) {
            try await database.read { try $0.first("SELECT 1, 'secret' AS body") { try $0.int(1) } }
        }

        #expect(error?.message == "Column 1 (body) is TEXT, not INTEGER")
        #expect(error?.fault == .statement)
        #expect("\(error.debugDescription)".contains("secret") == false || error?.sql?.contains("secret") == true)
    }

    @Test("Nil is for NULL only; another type is an error there too")
    func optionalForms() async throws {
        let database = try await store.create()

        let found = try await database.read { snapshot in
            try snapshot.first("SELECT NULL, 1") { row in
                #expect(try row.isNull(0))
                #expect(try !row.isNull(1))
                #expect(throws: SQLiteError.self) { try row.textOrNil(1) }
                return [
                    try row.intOrNil(0) == nil, try row.int64OrNil(0) == nil, try row.boolOrNil(0) == nil,
                    try row.realOrNil(0) == nil, try row.textOrNil(0) == nil, try row.blobOrNil(0) == nil,
                ]
            }
        }

        #expect(found == [true, true, true, true, true, true])
    }

    @Test("A column that is not there is an error", arguments: [-1, 1, Int.max, Int.min])
    func missingColumn(column: Int) async throws {
        let database = try await store.create()

        await #expect(throws: SQLiteError.self) {
            try await database.read { try $0.first("SELECT 1") { try $0.int(column) } }
        }
    }

    @Test("Values are made from what the domain has")
    func values() {
        enum Size: Int { case small = 1 }
        struct Name: RawRepresentable { var rawValue: String }

        #expect(SQLValue(Name(rawValue: "a")) == "a")
        #expect(SQLValue(Size.small) == 1)
        #expect(SQLValue(nil as Name?) == nil)
        #expect(SQLValue(nil as [UInt8]?) == .null)
        #expect(SQLValue(true) == 1)
        #expect(SQLValue([1, 2] as [UInt8]) == .blob([1, 2]))
    }

    /// The first column, whatever it holds.
    private static func value(_ row: borrowing Row) throws -> SQLValue {
        if try row.isNull(0) { return .null }
        if let integer = try? row.int64(0) { return .integer(integer) }
        if let real = try? row.real(0) { return .real(real) }
        if let text = try? row.text(0) { return .text(text) }
        return .blob(try row.blob(0))
    }
}
