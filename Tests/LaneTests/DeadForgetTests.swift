import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@Suite("Dead letters that are forgotten", .timeLimit(.minutes(1)))
struct DeadForgetTests {
    /// In everything that may tell of a user.
    private static let name = "erased-ann"

    private static func everything(_ filter: inout LetterFilter) { filter.isWherever = true }

    private static func forget(_ run: String, count: Int = 10_000, by: String = "bob") -> DeadForget {
        DeadForget(partition: 0, run: MessageID(rawValue: run), count: count, by: by, why: "request 17")
    }

    /// How often the name is in the store's files.
    private static func traces(in bench: Workbench) throws -> Int {
        let path = bench.address().storePath(in: bench.folder.path)
        return try ["", "-wal", "-shm"].map { path + $0 }.filter(FileManager.default.fileExists).reduce(0) {
            sum, file in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            var (count, start) = (0, bytes.startIndex)
            while let found = bytes.range(of: Data(name.utf8), in: start..<bytes.endIndex) {
                count += 1
                start = found.upperBound
            }
            return sum + count
        }
    }

    @Test("Of one that waits and of one in the archive nothing is left but that it was there, in the files too")
    func emptied() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for id in ["edited", "archived", "other"] {
                let account = id == "other" ? "someone" : Self.name
                try await bench.kill(Deposit(account: account, deed: .fault), id: id) { envelope in
                    envelope.properties.headers["about"] = .text(account)
                    // Beyond what a page holds.
                    if id == "archived" {
                        envelope.body += Array(String(repeating: " \(account)", count: 10_000).utf8)
                    }
                }
            }
            let before = try await bench.page().sorted { $0.number < $1.number }
            let body = try #require(before[0].body)
            let edit = DeadEdit(
                partition: 0, number: before[0].number, run: "edit", before: body,
                body: Octets(Array(#"{"account":"a","amount":7,"deed":"fault"}"#.utf8)), by: "ann")
            _ = try await bench.get(edit)
            // What a replay of it came to is said with its name, too.
            try await bench.freeze("replay") { $0.ids = ["archived"] }
            try await bench.replay("replay")
            await bench.settle()
            try await work.change(
                "UPDATE selected_letters SET text = ? WHERE run = 'replay'", .text("no account \(Self.name)"))
            try await bench.freeze("discard") { $0.ids = ["archived"] }
            _ = try await bench.get(
                DeadArchive(
                    partition: 0, run: "discard", isRestoring: false, count: 1, by: "ann", why: "of \(Self.name)"))
            let archive = try await bench.page { $0.isDiscarded = true }
            let archived = try #require(archive.first)

            // The edited one says it no more, but its original does; the text is kept only until all are found.
            let frozen = try await bench.freeze("run") {
                Self.everything(&$0)
                $0.text = Self.name
            }
            #expect(frozen.count == 2 && frozen.discarded == 1 && frozen.forgotten == nil)
            #expect(frozen.examples == [archived.number, before[0].number])
            #expect(try await bench.get(Self.forget("run")) == .init(forgotten: 2, remaining: 0))
            #expect(try await bench.outcomes("run") == ["forgotten": 2])

            #expect(try await bench.page().map(\.id.rawValue) == ["other"])
            let left = try await bench.page { $0.isDiscarded = true }
            #expect(left.map(\.id.rawValue) == ["archived", "edited"])
            for letter in left {
                #expect(letter.forgotten == .init(at: bench.clock.now, by: "bob", why: "request 17"))
                #expect(letter.kind == "deposit.v1" && ["apply", "decode"].contains(letter.step))
                #expect(letter.key == nil && letter.text == "" && letter.properties == nil && letter.body == nil)
                #expect(letter.original == nil && letter.editedBy == nil && letter.discarded?.why == "")
            }
            #expect(left[0].reason == archived.reason && left[0].discarded?.by == "ann")
            #expect(left[0].bucket == archived.bucket && left[0].generation == 1)
            #expect(left[1].reason == before[0].reason && left[1].discarded?.by == "bob")

            let report = try await bench.report()
            #expect(report.dead.map(\.count) == [1] && report.discarded == 2)
            let audit = try await bench.get(AuditPageGet(partition: 0, limit: 1))
            #expect(audit.entries[0].deed == "forget" && audit.entries[0].count == 2 && audit.entries[0].by == "bob")
            #expect(audit.entries[0].why == "request 17")
            #expect(audit.entries[0].filter?.text?.hasPrefix("sha256:") == true)
            // The trail keeps for ever what operators said: that is why it is to name nobody.
            try await work.change("UPDATE audit_trail SET why = '' WHERE deed = 'discard'")
            _ = try await bench.get(Self.forget("run"))
            #expect(try Self.traces(in: bench) == 0)
        }
    }

    @Test("Nothing brings it back, and each says why: restore, replay, edit, an import of before")
    func final() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for id in ["one", "two", "three"] { try await bench.kill(Deposit(account: "a", deed: .fault), id: id) }
            let exported = try #require(try await bench.page().last)
            try await bench.freeze("replay") { $0.ids = ["one", "two"] }
            try await bench.freeze("discard") { $0.ids = ["one"] }
            let discard = DeadArchive(
                partition: 0, run: "discard", isRestoring: false, count: 9, by: "ann", why: "w")
            #expect(try await bench.get(discard).moved == 1)
            try await bench.freeze("back") { $0.isDiscarded = true }
            try await bench.freeze("run") {
                Self.everything(&$0)
                $0.ids = ["one", "two"]
            }
            #expect(try await bench.get(Self.forget("run")).forgotten == 2)

            var restore = DeadArchive(partition: 0, run: "back", isRestoring: true, count: 9, by: "ann", why: "w")
            #expect(try await bench.get(restore) == .init(moved: 0, remaining: 0))
            #expect(try await bench.outcomes("back") == ["forgotten": 1])
            restore.run = "later"
            let later = try await bench.freeze("later") { $0.isDiscarded = true }
            #expect(later.count == 0 && later.forgotten == 2)
            #expect(try await bench.get(restore) == .init(moved: 0, remaining: 0))

            #expect(try await bench.replay("replay", force: true) == .init(sent: 0, remaining: 0))
            #expect(try await bench.outcomes("replay") == ["forgotten": 2])
            let named = try await bench.freeze("named") { $0.numbers = [exported.number] }
            #expect(named.forgotten == 1)
            #expect(try await bench.freeze("all").forgotten == nil, "nobody means them")

            let edit = DeadEdit(
                partition: 0, number: exported.number, run: "edit", before: Octets([]), body: Octets([1]), by: "ann")
            #expect(try await bench.ask(edit).refused?.reason == "letter_forgotten")
            let take = DeadImport(partition: 0, run: "import", letters: [exported], by: "ann")
            #expect(try await bench.get(take) == .init(added: 0, known: 0, forgotten: 1))
            let archive = try await bench.page { $0.isDiscarded = true }
            let husk = try #require(archive.last)
            let takeHusk = DeadImport(partition: 0, run: "import", letters: [husk], by: "ann")
            #expect(try await bench.ask(takeHusk).refused?.reason == "letter_forgotten")
            #expect(try await work.number("SELECT count(*) FROM dead_letters") == 3)
        }
    }

    @Test("What arrives under its id later is a message as any other, and a dead letter of its own")
    func again() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try await bench.kill(Deposit(account: "a"), id: "one") { $0.body = [] }
            try await bench.freeze("run", 0, Self.everything)
            #expect(try await bench.get(Self.forget("run")).forgotten == 1)
            try await bench.kill(Deposit(account: "a"), id: "one") { $0.body = [] }
            #expect(try await bench.page().map(\.id) == ["one"])
            let filter = LetterFilter(isDiscarded: true)
            let groups = try await bench.get(DeadGroupsGet(partition: 0, filter: filter))
            #expect(groups.dead == 1 && groups.discarded == 1 && groups.groups.map(\.exampleText) == [""])
        }
    }

    @Test("What is being replayed is left until that has ended, and it is said which replay holds it")
    func replayed() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for id in ["one", "two"] { try await bench.kill(Deposit(account: "a", deed: .fault), id: id) }
            try await bench.freeze("replay") { $0.ids = ["one"] }
            try await bench.freeze("run", 0, Self.everything)
            // The broker says nothing of it: it may be on its queue.
            bench.broker.interfere { $0.isReplay ? .isLost(.unknown) : nil }
            #expect(try await bench.replay("replay").pause != nil)
            bench.broker.interfere(nil)

            let held = DeadForget.Value(forgotten: 1, remaining: 1, heldBy: "replay")
            #expect(try await bench.get(Self.forget("run")) == held)
            #expect(try await bench.page().map(\.id) == ["one"])
            // It runs, and fails again: that is another letter, of which this selection knows nothing.
            try await bench.replay("replay")
            await bench.settle()
            #expect(try await bench.get(Self.forget("run")) == .init(forgotten: 0, remaining: 0))
            #expect(try await bench.outcomes("run") == ["forgotten": 1, "gone": 1])
            #expect(try await bench.page().map(\.generation) == [1])
            #expect(try await work.number("SELECT count(*) FROM dead_letters") == 2)
        }
    }

    @Test("Two operators forget the same ones at once, in portions and again: each letter counts once")
    func twoAtOnce() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            try await work.multiplyLetter(by: 60)
            for run in ["mine", "yours"] { try await bench.freeze(run, 0, Self.everything) }
            var counts = ["mine": 0, "yours": 0]
            for run in ["mine", "yours", "mine", "mine", "yours", "yours"] {
                counts[run, default: 0] += try await bench.get(Self.forget(run, count: 25, by: run)).forgotten
            }
            // A request looks at 25 of its own selection, of which the other one has taken some.
            for run in ["mine", "yours"] {
                #expect(try await bench.get(Self.forget(run, by: run)) == .init(forgotten: 0, remaining: 0))
                #expect(try await bench.outcomes(run) == ["forgotten": 60])
            }
            #expect(counts["mine", default: 0] + counts["yours", default: 0] == 60)
            let audit = try await bench.get(AuditPageGet(partition: 0, limit: 9))
            #expect(audit.entries.reduce(0) { $0 + $1.count } == 60)
            #expect(Set(audit.entries.map(\.by)) == Set(counts.filter { $0.value > 0 }.keys))
        }
    }

    @Test("A selection that was made for something else is not forgotten, nor one for this discarded")
    func unfit() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            try await bench.freeze("waiting")
            try await bench.freeze("archive") { $0.isDiscarded = true }
            try await bench.freeze("both", 0, Self.everything)
            for run in ["waiting", "archive"] {
                #expect(try await bench.ask(Self.forget(run)).refused?.reason == "selection_unfit")
            }
            #expect(try await bench.ask(Self.forget("none")).refused?.reason == "selection_unknown")
            #expect(try await bench.ask(Self.forget("both"), as: .load).failed?.reason == "not_from_owner")
            let discard = DeadArchive(partition: 0, run: "both", isRestoring: false, count: 9, by: "ann", why: "w")
            #expect(try await bench.ask(discard).refused?.reason == "selection_unfit")
            #expect(try await bench.page().count == 1)
        }
    }
}
