import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@Suite("Dead letters in operators' hands", .timeLimit(.minutes(1)))
struct DeadLetterTests {
    @Test("Nobody but the operator reads or changes them")
    func strangers() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            for user in [BrokerUser.load, BrokerUser(of: .attestGateway), nil] {
                let page = DeadPageGet(partition: 0, filter: LetterFilter(), limit: 1)
                #expect(try await bench.ask(page, as: user).failed?.reason == "not_from_owner")
                let freeze = DeadFreeze(partition: 0, run: "r", filter: LetterFilter(), by: "x", mostReplays: 3)
                #expect(try await bench.ask(freeze, as: user).failed?.reason == "not_from_owner")
            }
            #expect(try await work.number("SELECT count(*) FROM selections") == 0)
        }
    }

    @Test("Pages and groups show what a filter lets through")
    func filters() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        try await bench.whileWorking { _ in
            for index in 0..<6 {
                try await bench.kill(
                    Deposit(account: "a\(index)", deed: index < 4 ? .fault : .violate), id: "m\(index)")
                bench.clock.advance(by: .seconds(10))
            }
            func ids(_ adjust: (inout LetterFilter) -> Void) async throws -> [String] {
                try await bench.page(adjust).map(\.id.rawValue)
            }
            #expect(try await ids { _ in } == ["m5", "m4", "m3", "m2", "m1", "m0"])
            #expect(try await ids { $0.reasons = ["unstorable"] } == ["m5", "m4"])
            #expect(try await ids { $0.keys = ["a1", "a2"] } == ["m2", "m1"])
            #expect(try await ids { $0.text = "\"a3\"" } == ["m3"])
            #expect(try await ids { $0.text = "Never" } == ["m3", "m2", "m1", "m0"])
            #expect(
                try await ids {
                    $0.ids = ["m0"]; $0.numbers = [6]
                } == ["m5", "m0"])
            #expect(
                try await ids {
                    $0.since = began + .seconds(20); $0.until = began + .seconds(40)
                } == ["m3", "m2"])
            #expect(try await ids { $0.kinds = ["gift.v1"] } == [])
            #expect(
                try await ids {
                    $0.versions = ["1.2.3"]; $0.steps = ["apply"]
                }.count == 6)

            var page = try await bench.get(DeadPageGet(partition: 0, filter: LetterFilter(), limit: 4))
            #expect(page.letters.count == 4 && page.letters.allSatisfy { $0.body == nil && $0.properties == nil })
            page = try await bench.get(
                DeadPageGet(partition: 0, filter: LetterFilter(), before: page.next, limit: 4))
            #expect(page.letters.map(\.id.rawValue) == ["m1", "m0"] && page.next == nil)

            let groups = try await bench.get(DeadGroupsGet(partition: 0, filter: LetterFilter()))
            #expect(groups.groups.map(\.reason) == ["hopeless", "unstorable"] && groups.groups.map(\.count) == [4, 2])
            #expect(groups.groups[0].example == 4 && groups.groups[0].exampleText == "Never")
            #expect(groups.groups[0].firstSeen == began && groups.groups[0].lastSeen == began + .seconds(30))
            #expect(groups.dead == 6 && groups.oldest == began && groups.everDied == 6)
        }
    }

    @Test("Discarded letters are in the archive with who, when and why, are counted, and come back")
    func archive() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for index in 0..<3 { try await bench.kill(Deposit(account: "a", deed: .fault), id: "m\(index)") }
            try await bench.freeze("run") {
                $0.ids = ["m0", "m1"]
                $0.text = "Never"
            }
            let discard = DeadArchive(
                partition: 0, run: "run", isRestoring: false, count: 100, by: "ann", why: "a test of ours")
            #expect(try await bench.get(discard) == .init(moved: 2, remaining: 0))
            #expect(try await bench.get(discard) == .init(moved: 0, remaining: 0))

            #expect(try await bench.page().map(\.id.rawValue) == ["m2"])
            let archived = try await bench.page { $0.isDiscarded = true }
            #expect(archived.map(\.id.rawValue) == ["m1", "m0"])
            #expect(
                archived[0].discarded
                    == DeadLetterView.Discard(at: bench.clock.now, by: "ann", why: "a test of ours"))
            let report = try await bench.report()
            #expect(report.dead.map(\.count) == [1] && report.discarded == 2)

            // Not replayed, whatever selected it before.
            try await bench.freeze("late") { $0.ids = ["m2"] }
            try await bench.freeze("back") { $0.isDiscarded = true }
            #expect(try await bench.outcomes("back") == ["frozen": 2])
            let restore = DeadArchive(
                partition: 0, run: "back", isRestoring: true, count: 100, by: "bob", why: "needed after all")
            #expect(try await bench.get(restore).moved == 2)
            #expect(try await bench.page().count == 3)

            let audit = try await bench.get(AuditPageGet(partition: 0, limit: 10))
            #expect(audit.entries.map(\.deed) == ["restore", "discard"] && audit.entries.map(\.count) == [2, 2])
            #expect(audit.entries[1].by == "ann" && audit.entries[1].run == "run")
            #expect(audit.entries[1].why == "a test of ours" && audit.entries[1].filter?.ids == ["m0", "m1"])
            // A text may be somebody's name, and this line outlives him.
            let digest = "6300ef800bb884295b0b4b35682b75cecd7cc550d202db56d04a0643b8fb873f"
            #expect(audit.entries[1].filter?.text == "sha256:\(digest)")
        }
    }

    @Test("An edited body is checked by its service, kept beside the original, and applied when it is replayed")
    func edit() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            let letter = try #require(try await bench.page().first)
            let body = try #require(letter.body)
            func edit(_ text: String, before: Octets = body) -> DeadEdit {
                DeadEdit(
                    partition: 0, number: letter.number, run: "edit", before: before, body: Octets(Array(text.utf8)),
                    by: "ann")
            }
            #expect(try await bench.ask(edit("{}")).refused?.reason == "undecodable")
            #expect(try await bench.ask(edit("{", before: Octets([1]))).refused?.reason == "body_changed")
            let good = #"{"account":"a","amount":7,"deed":"pay"}"#
            _ = try await bench.get(edit(good))
            _ = try await bench.get(edit(good))

            let edited = try #require(try await bench.page().first)
            #expect(edited.body?.text == good && edited.original == body && edited.editedBy == "ann")
            try await bench.freeze("run")
            try await bench.replay("run")
            await bench.settle()
            #expect(try await work.total("a") == 7)
            #expect(try await work.letters().isEmpty)
            let audit = try await bench.get(AuditPageGet(partition: 0, limit: 10))
            #expect(audit.entries.map(\.deed) == ["replay", "edit"] && audit.entries.map(\.count) == [1, 1])
        }
    }

    static let bodies: [(String, [UInt8])] = [
        ("with a NUL", [0x7B, 0, 0x7D]), ("not UTF-8", [0xFF, 0xFE, 0x80]), ("not JSON", Array("hello\u{0}\n".utf8)),
        ("empty", []), ("of 10 MB", [UInt8](repeating: 0x20, count: 10 << 20)),
    ]

    @Test("A body survives death, export, import and replay byte for byte", arguments: Self.bodies)
    func survives(name: String, body: [UInt8]) async throws {
        let bench = try await Workbench()
        let other = try await Workbench()
        var properties: MessageProperties?
        try await bench.whileWorking { _ in
            try await bench.kill(Deposit(account: "a"), id: "one") { envelope in
                envelope.body = body
                envelope.properties.headers.entries += Self.foreign
                envelope.properties.clusterID = "c"
                envelope.properties.timestamp = 7
            }
            let letter = try #require(try await bench.page().first)
            #expect(letter.body?.bytes == body && letter.size == body.count && letter.reason == "undecodable")
            #expect(Self.foreign.allSatisfy { letter.properties?.headers.entries.contains($0) == true })
            properties = letter.properties
            // A line of an export, read by somebody else.
            let line = try MessageJSON.encode(letter)
            var read = try MessageJSON.decode(DeadLetterView.self, from: line)
            #expect(read == letter)
            read.origin = "elsewhere"
            try await other.whileWorking { work in
                let take = DeadImport(partition: 0, run: "import", letters: [read], by: "ann")
                #expect(try await other.get(take) == .init(added: 1, known: 0))
                #expect(try await other.get(take) == .init(added: 0, known: 1))
                #expect(other.broker.depth(of: other.queue()) == 0)
                let imported = try #require(try await other.page().first)
                #expect(imported.body?.bytes == body && imported.properties == letter.properties)
                #expect(imported.origin == "elsewhere")
            }

            try await bench.freeze("run")
            try await bench.replay("run")
            await bench.settle()
            #expect(try await bench.outcomes("run") == ["failed": 1])
            let copy = try #require(bench.journal.published(to: .direct).last?.envelope)
            #expect(copy.body == body && copy.generation == 1 && copy.id == "one")
            #expect(copy.properties.clusterID == "c" && copy.properties.timestamp == 7)
            let kept = copy.properties.headers.entries.filter {
                !["generation", "first_user", "accepted_at"].contains($0.name)
            }
            #expect(kept == properties?.headers.entries, "every header with its type, and in its order")
        }
    }

    @Test(
        "An import with counters that cannot be is refused; what a store holds of them ends no process",
        arguments: [Int.min, -1, 1_000_002, Int.max])
    func oddCounters(count: Int) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            var letter = try #require(try await bench.page().first)
            letter.id = "two"
            letter.generation = count
            func take() async throws -> Answer<DeadImport.Value> {
                try await bench.ask(DeadImport(partition: 0, run: "import", letters: [letter], by: "ann"))
            }
            #expect(try await take().refused?.reason == "letter_unfit")
            letter.generation = 0
            letter.attempts = count
            #expect(try await take().refused?.reason == "letter_unfit")
            try await work.change("UPDATE dead_letters SET generation = ?", SQLValue(count))

            try await bench.freeze("run")
            #expect(try await bench.foretold("run") == ["failed": 1])
            #expect(try await bench.replay("run", force: true).sent == 1)
            await bench.settle()
            #expect(try await bench.page().count == 1)
        }
    }

    private static let foreign: [HeaderTable.Entry] = [
        .init(
            name: "x-death",
            value: .array([
                .table(
                    HeaderTable([.init(name: "count", value: .int64(3)), .init(name: "time", value: .timestamp(9))]))
            ])),
        .init(name: "mine", value: .double(0x7FF8_0000_0000_0001)), .init(name: "raw", value: .octets([0xFF, 0])),
        .init(name: "void", value: .void), .init(name: "price", value: .decimal(scale: 2, value: 499)),
        .init(name: "mine", value: .uint8(9)),
    ]

    @Test("What would carry a replay elsewhere on the service's account is left out of it")
    func steering() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one") { envelope in
                envelope.properties.headers["CC"] = .array([.text("attest-gateway.0.now")])
                envelope.properties.headers["generation"] = .text("many")
                envelope.firstUser = "attest-gateway"
            }
            try await bench.freeze("run")
            try await bench.replay("run")
            await bench.settle()
            let copy = try #require(bench.journal.published(to: .direct).last?.envelope)
            #expect(copy.properties.headers["CC"] == nil && copy.generation == 1)
            #expect(copy.firstUser == "tollgate-load", "a stranger's word for who he is is not handed on")
        }
    }

    @Test("An error of 200 KB is kept short enough to be read, in a page like any other")
    func longText() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            try await work.change(
                "UPDATE dead_letters SET text = ?", .text(String(repeating: "e\u{301}", count: 70_000)))
            try await work.multiplyLetter(by: 31)
            let page = try await bench.get(DeadPageGet(partition: 0, filter: LetterFilter(), limit: 1000))
            #expect((2..<31).contains(page.letters.count) && page.next != nil)
            let rest = try await bench.get(
                DeadPageGet(partition: 0, filter: LetterFilter(), before: page.next, limit: 1000))
            #expect(page.letters.count + rest.letters.count == 31)
        }
    }

    @Test("A header table of 131,040 bytes: pages stay as short as they can be read, and groups too")
    func largeHeaders() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one") { envelope in
                // Six bytes of JSON for each.
                envelope.properties.headers["raw"] = .text(String(repeating: "\u{1}", count: 131_000))
            }
            try await work.multiplyLetter(by: 10)
            let page = try await bench.get(DeadPageGet(partition: 0, filter: LetterFilter(), limit: 20, isWhole: true))
            #expect((2..<10).contains(page.letters.count) && page.next == page.letters.last?.number)
            let list = try await bench.get(DeadPageGet(partition: 0, filter: LetterFilter(), limit: 100))
            #expect(list.letters.count == 10 && list.next == nil)
            try await work.change("UPDATE dead_letters SET key = ?", .text(String(repeating: "k", count: 500_000)))
            let keys = try await bench.get(DeadPageGet(partition: 0, filter: LetterFilter(), limit: 100))
            #expect((2..<10).contains(keys.letters.count) && keys.next != nil)
            try await work.change("UPDATE dead_letters SET text = ?", .text(String(repeating: "t", count: 500_000)))
            let groups = try await bench.get(DeadGroupsGet(partition: 0, filter: LetterFilter()))
            #expect(groups.groups[0].exampleText.count == 1000)
        }
    }

    @Test(
        "Bytes stand in JSON as text where that is short, and never much longer than base64",
        arguments: [
            ("", true), ("a\u{1B}b", true), (#"{"a":"\n\\","b":1}"#, true), ("a\u{0}b", false),
            (String(repeating: "\u{1}", count: 1000), false), (String(repeating: "\"", count: 1000), false),
            (String(repeating: "a\n  ", count: 1000), true),
        ])
    func octets(text: String, isText: Bool) throws {
        let octets = Octets(Array(text.utf8))
        let json = try MessageJSON.encode(octets)
        #expect(json.starts(with: Array((isText ? #"{"text""# : #"{"base64""#).utf8)))
        #expect(json.count <= text.utf8.count * 4 / 3 + 60)
        #expect(try MessageJSON.decode(Octets.self, from: json) == octets)
    }

    @Test("A letter that is too large for an answer is told without its content, and its neighbours with theirs")
    func tooLarge() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            try await work.multiplyLetter(by: 3)
            try await work.change("UPDATE dead_letters SET body = zeroblob(?) WHERE number = 2", SQLValue(45 << 20))
            let page = try await bench.get(DeadPageGet(partition: 0, filter: LetterFilter(), limit: 9, isWhole: true))
            #expect(
                page.letters.map(\.number) == [3, 2, 1] && page.letters.map { $0.body == nil } == [false, true, false])
            #expect(page.letters[1].size == 45 << 20 && page.letters[1].properties == nil)
        }
    }

    @Test("What operators have said at length is told a page at a time")
    func longReasons() async throws {
        let bench = try await Workbench()
        let why = String(repeating: "w", count: 1 << 20)
        try await bench.whileWorking { _ in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            for index in 0..<10 {
                let run = MessageID(rawValue: "run\(index)")
                let isRestoring = !index.isMultiple(of: 2)
                try await bench.freeze(run.rawValue) { $0.isDiscarded = isRestoring }
                let archive = DeadArchive(
                    partition: 0, run: run, isRestoring: isRestoring, count: 1, by: "ann", why: why)
                #expect(try await bench.get(archive).moved == 1)
            }
            var (deeds, pages, cursor): ([String], Int, Int?) = ([], 0, nil)
            repeat {
                let page = try await bench.get(AuditPageGet(partition: 0, before: cursor, limit: 1000))
                deeds += page.entries.map(\.run.rawValue)
                pages += 1
                cursor = page.next
            } while cursor != nil
            #expect(deeds == (0..<10).reversed().map { "run\($0)" } && pages > 1)
        }
    }

    private static let stretched: [@Sendable (inout DeadLetterView) -> Void] = [
        { $0.kind = String(repeating: "k", count: 256) }, { $0.reason = String(repeating: "r", count: 5000) },
        { $0.version = String(repeating: "v", count: 5000) }, { $0.text = String(repeating: "t", count: 200_000) },
        { $0.origin = String(repeating: "o", count: 200_000) },
        { $0.id = .init(rawValue: String(repeating: "i", count: 256)) },
    ]

    @Test("An import of letters with longer texts than any that died here is refused", arguments: 0..<6)
    func overlong(index: Int) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            var letter = try #require(try await bench.page().first)
            Self.stretched[index](&letter)
            let answer = try await bench.ask(DeadImport(partition: 0, run: "run", letters: [letter], by: "ann"))
            #expect(answer.refused?.reason == "letter_unfit")
            #expect(try await bench.page().count == 1)
        }
    }

    @Test("A store of before there was an archive keeps its letters and their numbers")
    func migrated() async throws {
        let bench = try await Workbench()
        let path = bench.folder.appendingPathComponent("old.sqlite").path
        let first = MigrationSequence(name: "lane", migrations: Array(MigrationSequence.lane.migrations.prefix(1)))
        let address = bench.address()
        let old = try await Database.create(
            at: path, as: address.identity, schema: [first, depositSchema], createdAt: .now)
        try await old.write { transaction in
            for index in 1...3 {
                try transaction.run(
                    """
                    INSERT INTO dead_letters (id, bucket, kind, reason, step, text, version, exchange, routing_key,
                        attempts, generation, first_failure, last_failure, properties, body)
                    VALUES (?, 7, 'k', 'r', 's', 't', 'v', 'e', 'k', 1, 0, 5, 6, '{}', x'00ff')
                    """, .text("m\(index)"))
            }
            try transaction.run("DELETE FROM dead_letters WHERE id = 'm2'")
        }
        await old.close()

        let new = try await Database.open(at: path, as: address.identity, schema: [.lane, depositSchema])
        let rows = try await new.write { transaction in
            try transaction.run(
                """
                INSERT INTO dead_letters (id, bucket, kind, reason, step, text, version, exchange, routing_key,
                    attempts, generation, first_failure, last_failure, properties, body)
                SELECT 'm4', bucket, kind, reason, step, text, version, exchange, routing_key, attempts, generation,
                    first_failure, last_failure, properties, body FROM dead_letters LIMIT 1
                """)
            return try transaction.all("SELECT number, id, body FROM dead_letters ORDER BY number") {
                "\(try $0.int(0)) \(try $0.text(1)) \(try $0.blob(2))"
            }
        }
        await new.close()
        #expect(rows == ["1 m1 [0, 255]", "3 m3 [0, 255]", "4 m4 [0, 255]"])
    }
}
