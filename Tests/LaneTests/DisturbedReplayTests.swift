import Lane
import Messages
import Messaging
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite("Replays of dead letters that are interrupted, doubled, or not the only ones", .timeLimit(.minutes(1)))
struct DisturbedReplayTests {
    @Test("Stopped half-way and resumed by another process, each letter is applied once")
    func resumed() async throws {
        let bench = try await Workbench()
        let count = 1500
        let first = try await bench.start()
        for index in 0..<count {
            var envelope = try bench.envelope(Gift(account: "a"), id: "m\(index)")
            // A kind that this version does not know, long ago.
            envelope.kind = "present.v1"
            envelope.firstFailure = bench.clock.now - .seconds(100_000)
            bench.send(envelope, for: "a")
        }
        await bench.settle()
        // Meanwhile the kind has come to be known.
        try await first.change("UPDATE dead_letters SET kind = 'gift.v1'")
        for letter in try await bench.page() {
            var properties = try #require(letter.properties)
            properties.type = "gift.v1"
            try await first.change(
                "UPDATE dead_letters SET properties = ? WHERE number = ?", .blob(try MessageJSON.encode(properties)),
                SQLValue(letter.number))
        }
        try await first.change(
            "UPDATE dead_letters SET properties = CAST(replace(CAST(properties AS TEXT), 'present.v1', 'gift.v1') AS BLOB)"
        )
        try await bench.freeze("run")
        // The broker takes the second portion and says nothing of it, as if it died.
        let calls = Mutex(0)
        bench.broker.interfere { publication in
            guard publication.isReplay else { return nil }
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            return call > 700 ? (call.isMultiple(of: 2) ? .arrives(.unknown) : .isLost(.unknown)) : nil
        }
        let half = try await bench.replay("run")
        #expect(half.pause != nil && half.remaining > 0 && half.sent < count)
        try await first.stop()
        await first.close()
        bench.broker.interfere(nil)

        try await bench.whileWorking { work in
            let rest = try await bench.replay("run")
            #expect(rest.remaining == 0 && rest.pause == nil)
            await bench.settle()
            #expect(try await bench.outcomes("run") == ["applied": count])
            #expect(try await work.total("a") == count)
            #expect(try await work.letters().isEmpty)
            #expect(try await bench.report().replaying == 0)
        }
    }

    @Test("What a process had in hand when it was killed may be on its queue: nobody discards it, and it goes again")
    func killedHalfWay() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for id in ["m1", "m2", "m3", "m4"] { try await bench.kill(Deposit(account: "a", deed: .fault), id: id) }
            try await bench.freeze("run")
            try await bench.freeze("archive")
            bench.broker.interfere { $0.isReplay ? .isLost(.unknown) : nil }
            try await bench.replay("run")
            bench.broker.interfere(nil)
            let first = try #require(bench.journal.published(to: .direct).first { $0.envelope.id == "m1" })
            // As a kill leaves them: three are claimed, and nothing is said of any.
            let third = try await work.number("SELECT letter FROM selected_letters WHERE run = 'run' AND id = 'm3'")
            try await work.change("UPDATE selected_letters SET outcome = 'frozen'")
            try await work.change(
                "UPDATE selections SET claimed_after = 0, claimed_through = ? WHERE run = 'run'", SQLValue(third))
            #expect(try await bench.outcomes("run") == ["sending": 3, "frozen": 1])

            let discard = DeadArchive(
                partition: 0, run: "archive", isRestoring: false, count: 9, by: "ann", why: "w")
            #expect(try await bench.get(discard) == .init(moved: 1, remaining: 3))
            // The broker had the first one.
            bench.broker.inject(first.envelope, to: first.route, as: Workbench.user)
            await bench.settle()
            #expect(try await bench.outcomes("run") == ["failed": 1, "sending": 2, "frozen": 1])

            #expect(try await bench.replay("run").sent == 2)
            await bench.settle()
            #expect(try await bench.outcomes("run") == ["failed": 3, "gone": 1])
            let generations = try await bench.page().reduce(into: [:]) { $0[$1.id.rawValue] = $1.generation }
            #expect(generations == ["m1": 1, "m2": 1, "m3": 1])
            #expect(try await bench.get(discard) == .init(moved: 0, remaining: 0))
            #expect(try await bench.outcomes("archive") == ["discarded": 1, "gone": 3])
        }
    }

    @Test("Another operator's replay of what a killed one had in hand takes it over")
    func takenOver() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for id in ["m1", "m2"] { try await bench.kill(Deposit(account: "a", deed: .fault), id: id) }
            try await bench.freeze("ann")
            try await bench.freeze("bob")
            try await work.change("UPDATE selections SET claimed_through = 1000 WHERE run = 'ann'")
            #expect(try await bench.outcomes("ann") == ["sending": 2])

            try await bench.replay("bob", count: 1)
            await bench.settle()
            #expect(try await bench.outcomes("ann") == ["gone": 1, "sending": 1])
            try await bench.replay("ann")
            await bench.settle()
            #expect(try await bench.outcomes("ann") == ["gone": 1, "failed": 1])
            #expect(try await bench.replay("bob").sent == 0)
            #expect(try await bench.outcomes("bob") == ["failed": 1, "gone": 1])
            #expect(try await bench.page().map(\.generation) == [1, 1])
        }
    }

    @Test("Of letters that arrive twice in one batch the first end is told, and each is out of the table")
    func doubled() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        let first = try await bench.start()
        try await bench.kill(Deposit(account: "a", amount: 5, deed: .wait, until: began + .seconds(10)), id: "mended") {
            $0.firstFailure = began - .seconds(100_000)
        }
        try await bench.kill(Deposit(account: "a", deed: .fault), id: "hopeless")
        bench.clock.advance(by: .seconds(20))
        try await bench.freeze("run")
        bench.broker.interfere { $0.isReplay ? .isLost(.unknown) : nil }
        #expect(try await bench.replay("run").pause != nil)
        #expect(try await bench.outcomes("run") == ["sending": 2])
        try await first.stop()
        await first.close()
        bench.broker.interfere(nil)
        let copies = bench.journal.published(to: .direct)
        #expect(copies.count == 2)
        for copy in copies + copies { bench.broker.inject(copy.envelope, to: copy.route, as: Workbench.user) }

        try await bench.whileWorking { work in
            await bench.settle()

            #expect(try await bench.outcomes("run") == ["applied": 1, "failed": 1])
            #expect(try await work.total("a") == 5)
            let letters = try await bench.page()
            #expect(letters.map(\.id.rawValue) == ["hopeless"] && letters.first?.generation == 1)
        }
    }

    @Test("Two operators replay the same selection at once: each letter goes once")
    func together() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for index in 0..<40 {
                try bench.send(Deposit(account: "a", deed: .fault), id: "m\(index)")
            }
            await bench.settle()
            try await bench.freeze("ann")
            try await bench.freeze("bob")
            for _ in 0..<4 {
                try await bench.replay("ann", count: 7)
                try await bench.replay("bob", count: 7)
            }
            await bench.settle()

            let replays = bench.journal.published(to: .direct).compactMap { $0.envelope.id?.rawValue }
            #expect(replays.count == 40 && Set(replays).count == 40)
            let (ann, bob) = (try await bench.outcomes("ann"), try await bench.outcomes("bob"))
            #expect(ann.values.reduce(0, +) == 40 && bob.values.reduce(0, +) == 40)
            #expect(
                (ann["failed"] ?? 0) + (bob["failed"] ?? 0) == 40,
                "each is told to whoever replayed it: \(ann), \(bob)")
            #expect(try await bench.page().allSatisfy { $0.generation == 1 })
        }
    }

    @Test("Two letters under one id: when one of them runs, the other one, of which the broker has said nothing, stays")
    func namesakes() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for amount in 1...2 {
                try await bench.kill(Deposit(account: "a", amount: amount, deed: .fault), id: "one")
            }
            try await bench.freeze("run")
            // The connection is lost behind the first.
            bench.broker.interfere {
                guard $0.isReplay else { return nil }
                let amount = try? MessageJSON.decode(Deposit.self, from: $0.envelope.body).amount
                return amount == 1 ? .arrives(.unknown) : .isLost(.unknown)
            }
            #expect(try await bench.replay("run").sent == 0)
            await bench.settle()
            func amounts() async throws -> [Int: Int] {
                try await bench.page().reduce(into: [:]) {
                    let body = $1.body?.bytes ?? []
                    $0[try MessageJSON.decode(Deposit.self, from: body).amount] = $1.generation
                }
            }
            #expect(try await amounts() == [1: 1, 2: 0])
            #expect(try await bench.outcomes("run") == ["failed": 1, "sending": 1])
            bench.broker.interfere(nil)
            #expect(try await bench.replay("run").remaining == 0)
            await bench.settle()
            #expect(try await amounts() == [1: 1, 2: 1])
            #expect(try await bench.outcomes("run") == ["failed": 2])
        }
    }

    @Test("A blocked broker pauses a replay; nothing is lost, and it goes on")
    func blocked() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for index in 0..<5 { try await bench.kill(Deposit(account: "a", deed: .fault), id: "m\(index)") }
            try await bench.freeze("run")
            bench.broker.interfere { $0.isReplay ? .isLost(.notSent(.blocked)) : nil }
            let paused = try await bench.replay("run")
            #expect(paused.sent == 0 && paused.remaining == 5 && paused.pause?.contains("short of memory") == true)
            #expect(try await bench.outcomes("run") == ["frozen": 5])
            #expect(try await work.letters().count == 5)
            bench.broker.interfere(nil)
            #expect(try await bench.replay("run").sent == 5)
            await bench.settle()
            #expect(try await bench.outcomes("run") == ["failed": 5])
        }
    }
}
