import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@Suite("Queries that take long", .timeLimit(.minutes(1)))
struct LengthyQueryTests {
    @Test("While lengthy queries are in work, however many, the others are answered")
    func besideOthers() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 7), id: "one")
            await bench.settle()
            // More than there are readers.
            for number in 0..<5 { try bench.ask(Held(account: "a"), "lengthy \(number)") }
            await bench.gate.waitForArrival()

            for number in 0..<50 { try bench.ask(BalanceGet(account: "a"), "quick \(number)") }
            var quick: Set<String> = []
            for _ in 0..<50 {
                let (id, answer) = try await bench.nextAnswer()
                #expect(answer.applied?.total == 7)
                quick.insert(id ?? "")
            }
            for _ in 0..<5 { bench.gate.open() }

            #expect(quick == Set((0..<50).map { "quick \($0)" }))
            for number in 0..<5 { #expect(try await bench.nextAnswer().id == "lengthy \(number)") }
        }
    }

    @Test("A lengthy query ends when its asker has given up")
    func givenUp() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 7), id: "one")
            await bench.settle()

            // Where the machine stalls it is given up before it is begun, and nobody is answered: then there is more time.
            for milliseconds in [200, 2_000, 20_000] {
                try bench.ask(Endless(account: "a"), "endless", milliseconds: milliseconds)
                bench.gate.open()
                try bench.ask(Held(account: "a"), "behind it")
                let answer = try await bench.nextAnswer()
                guard answer.id == "endless" else { continue }
                #expect(answer.answer.failed?.reason == "took_too_long")
                #expect(try await bench.nextAnswer().id == "behind it")
                return
            }
            Issue.record("It was never begun")
        }
    }

    @Test("What its asker does not wait for any more is not begun")
    func tooLate() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 7), id: "one")
            await bench.settle()
            try bench.ask(Held(account: "a"), "first")
            await bench.gate.waitForArrival()
            for number in 0..<3 { try bench.ask(Endless(account: "a"), "\(number)", milliseconds: 1) }
            try bench.ask(Held(account: "a"), "last")
            // They have come with the first of these; a moment later nobody waits for them.
            var came: ContinuousClock.Instant?
            while came.map({ .now - $0 < .milliseconds(3) }) ?? true {
                try bench.ask(BalanceGet(account: "a"), "quick")
                #expect(try await bench.nextAnswer().id == "quick")
                came = came ?? .now
            }

            for _ in 0..<2 { bench.gate.open() }

            #expect(try await bench.nextAnswer().id == "first")
            #expect(try await bench.nextAnswer().id == "last")
        }
    }

    @Test("A query that nobody took for lengthy ends in time as well, and those behind it are answered")
    func unforeseen() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 7), id: "one")
            await bench.settle()

            for number in 0..<6 { try bench.ask(Unforeseen(account: "a"), "\(number)", milliseconds: 500) }
            #expect(try await bench.nextAnswer().answer.failed?.reason == "took_too_long")
            // Whatever still comes of the others comes before.
            try bench.ask(BalanceGet(account: "a"), "quick")
            while true {
                let (id, answer) = try await bench.nextAnswer()
                guard id != "quick" else {
                    #expect(answer.applied?.total == 7)
                    break
                }
                #expect(answer.failed?.reason == "took_too_long")
            }
        }
    }
}

extension Workbench {
    /// - Parameter milliseconds: how long is waited for the answer.
    fileprivate func ask(_ query: some Query, _ id: String, milliseconds: Int? = nil) throws {
        var envelope = try envelope(query, id: id, answered: true)
        envelope.properties.expiration = milliseconds.map { String($0) }
        broker.inject(envelope, to: .query(Self.service, Bucket(of: "a")), as: .load)
    }
}
