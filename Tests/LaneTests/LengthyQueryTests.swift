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

    @Test("A lengthy query ends when its asker has given up; what he does not wait for any more is not begun")
    func givenUp() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 7), id: "one")
            await bench.settle()

            for number in 0..<3 { try bench.ask(Endless(account: "a"), "\(number)", milliseconds: 500) }
            try bench.ask(Endless(account: "a"), "last", milliseconds: 1000)

            for id in ["0", "last"] {
                let answer = try await bench.nextAnswer()
                #expect(answer.id == id && answer.answer.failed?.reason == "took_too_long")
            }
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
