import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@Suite("Replays of dead letters", .timeLimit(.minutes(1)))
struct DeadReplayTests {
    @Test("It fails, is replayed under its id, really runs, fails again, and so on: each life is counted")
    func again() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one") { envelope in
                envelope.acceptedAt = began - .seconds(9)
                envelope.sequence = PublisherNumber(publisher: PublisherID(rawValue: "tollgate-load:1"), number: 4)
            }
            for life in 1...2 {
                bench.clock.advance(by: .seconds(60))
                let frozen = try await bench.freeze("run\(life)")
                let died = try await work.letters()[0].lastFailure
                #expect(frozen.count == 1 && frozen.guarded == 0 && frozen.oldest == died && frozen.newest == died)
                #expect(try await bench.replay("run\(life)").sent == 1)
                await bench.settle()

                #expect(try await bench.outcomes("run\(life)") == ["failed": 1])
                let letters = try await bench.page()
                let letter = try #require(letters.first)
                #expect(letters.count == 1 && letter.id.rawValue == "one" && letter.generation == life)
                #expect(letter.reason == "hopeless" && letter.lastFailure == bench.clock.now)
                let envelope = Envelope(properties: try #require(letter.properties), body: [])
                #expect(envelope.acceptedAt == began - .seconds(9) && envelope.firstUser == "tollgate-load")
                #expect(envelope.sequence?.number == 4 && envelope.generation == life)
            }
            #expect(try await work.inboxCount() == 0)
        }
    }

    @Test("What is mended is applied once, as accepted at first; what was applied already changes nothing")
    func mended() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", amount: 5, deed: .wait, until: began + .seconds(10)), id: "one")
            {
                $0.firstFailure = began - .seconds(100_000)
            }
            bench.clock.advance(by: .seconds(20))
            try await bench.freeze("run")
            #expect(try await bench.foretold("run") == ["applied": 1])
            #expect(try await work.total("a") == 0)
            #expect(try await work.letters().count == 1)
            try await bench.replay("run")
            await bench.settle()

            #expect(try await bench.outcomes("run") == ["applied": 1])
            #expect(try await work.total("a") == 5)
            #expect(try await work.letters().isEmpty)
            // A stranger's that said nothing of when: it stays as old as it was.
            #expect(try await work.contexts().map(\.acceptedAt) == [began - .seconds(100_000)])
            let report = try await bench.report()
            #expect(report.dead.isEmpty && report.replaying == 0 && report.applied == 1)
        }
    }

    @Test("A preview is forgotten after 30 days, also where nothing has put it away yet")
    func forgotten() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try await bench.freeze("run")
            bench.clock.advance(by: .seconds(30 * 86_400))
            #expect(try await bench.get(DeadOutcomesGet(partition: 0, run: "run")).filter != nil)
            bench.clock.advance(by: .milliseconds(1))
            #expect(try await bench.get(DeadOutcomesGet(partition: 0, run: "run")).filter == nil)
        }
    }

    /// Freezes, twenty seconds later, a letter that was accepted before now and has failed since.
    private func freezeOld(_ deed: Deposit.Deed, at bench: Workbench) async throws {
        let began = bench.clock.now
        try await bench.kill(Deposit(account: "a", deed: deed, until: began + .seconds(10)), id: "one") {
            $0.acceptedAt = began - .seconds(50)
            $0.firstFailure = began - .seconds(100_000)
        }
        bench.clock.advance(by: .seconds(20))
        try await bench.freeze("run")
    }

    @Test("What would be overtaken is foretold, and that it would not be as new")
    func foretoldAsNew() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try await freezeOld(.expire, at: bench)

            #expect(try await bench.foretold("run") == ["overtaken": 1])
            #expect(try await bench.foretold("run", asNew: true) == ["applied": 1])
        }
    }

    @Test("As new, it counts as accepted now")
    func asNew() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        try await bench.whileWorking { work in
            try await freezeOld(.wait, at: bench)
            try await bench.replay("run", asNew: true)
            await bench.settle()

            #expect(try await work.contexts().map(\.acceptedAt) == [began + .seconds(20)])
        }
    }

    @Test("What dies after the preview is untouched, and so is what dies during the replay")
    func frozen() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for index in 0..<3 { try await bench.kill(Deposit(account: "a", deed: .fault), id: "old\(index)") }
            #expect(try await bench.freeze("run").count == 3)
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "new")
            // Asked again under the same name: the same letters.
            #expect(try await bench.freeze("run").count == 3)
            try await bench.replay("run", count: 1)
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "newer")
            try await bench.replay("run")
            await bench.settle()

            #expect(try await bench.outcomes("run") == ["failed": 3])
            let generations = try await bench.page().reduce(into: [:]) { $0[$1.id.rawValue] = $1.generation }
            #expect(generations == ["old0": 1, "old1": 1, "old2": 1, "new": 0, "newer": 0])
        }
    }

    @Test("A preview tries large letters a few at a time, and all of them")
    func foretellingLarge() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a"), id: "m0") { $0.body = [UInt8](repeating: 0x20, count: 3 << 20) }
            try await work.multiplyLetter(by: 5)
            try await bench.freeze("run")
            var (counts, cursor): ([Int], Int?) = ([], nil)
            repeat {
                let value = try await bench.get(DeadForetell(partition: 0, run: "run", after: cursor, count: 100))
                counts.append(value.outcomes.reduce(0) { $0 + $1.count })
                cursor = value.next
            } while cursor != nil
            #expect(counts == [3, 2])
        }
    }

    @Test("A hundred that fit into no frame stop nobody, and stay where they are")
    func unsendable() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for index in 0..<100 { try bench.send(Deposit(account: "a", deed: .fault), id: "large\(index)") }
            for index in 0..<10 { try bench.send(Deposit(account: "a", deed: .fault), id: "small\(index)") }
            await bench.settle()
            bench.broker.interfere {
                $0.isReplay && $0.envelope.id?.rawValue.hasPrefix("large") == true
                    ? .isLost(.notSent(.unsendable)) : nil
            }
            try await bench.freeze("run")
            #expect(try await bench.replay("run").sent == 10)
            await bench.settle()
            #expect(try await bench.outcomes("run") == ["unsendable": 100, "failed": 10])
            #expect(try await work.letters().count == 110)
        }
    }

    @Test("A preview tells what would be applied, change nothing, be refused, fail and go nowhere, and changes nothing")
    func foretelling() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .wait, until: began + .seconds(5)), id: "ripe") {
                $0.firstFailure = began - .seconds(100_000)
            }
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "hopeless")
            try await bench.kill(Deposit(account: "a"), id: "odd") {
                $0.kind = "unheard-of.v9"
                $0.firstFailure = began - .seconds(100_000)
            }
            try await bench.kill(Deposit(account: "a"), id: "broken") { $0.body = [0x7B] }
            try bench.send(Deposit(account: "b", amount: 3), id: "twice")
            await bench.settle()
            try await bench.kill(Deposit(account: "b", amount: 4), id: "twice")
            bench.clock.advance(by: .seconds(10))
            let before = try await work.number("SELECT count(*) FROM contexts")

            #expect(try await bench.freeze("run").count == 5)
            #expect(try await bench.foretold("run") == ["applied": 1, "failed": 3, "nowhere": 1])
            #expect(try await work.number("SELECT count(*) FROM contexts") == before)
            #expect(try await work.total("b") == 3)
            #expect(try await work.letters().count == 5)
            #expect(try await work.outboxCount() == 0)
        }
    }

    @Test("The outcome of a replay that waits in the ladder is told when it has ended")
    func ladder() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            let mended = Deposit(account: "a", amount: 2, deed: .wait, until: began + .seconds(30))
            let letter = try #require(try await bench.page().first)
            let edit = DeadEdit(
                partition: 0, number: letter.number, run: "edit", before: try #require(letter.body),
                body: Octets(try MessageJSON.encode(mended)), by: "ann")
            _ = try await bench.get(edit)
            try await bench.freeze("run")
            try await bench.replay("run")
            await bench.settle()
            #expect(try await bench.outcomes("run") == ["retrying": 1])
            bench.clock.advance(by: .seconds(40))
            bench.broker.passTime(.milliseconds(100))
            await bench.settle()
            #expect(try await bench.outcomes("run") == ["applied": 1])
            #expect(try await work.total("a") == 2)
        }
    }
}

extension MessageID: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self.init(rawValue: value) }
}
