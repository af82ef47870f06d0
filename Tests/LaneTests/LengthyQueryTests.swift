import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@Suite("Queries that take long", .timeLimit(.minutes(1)))
struct LengthyQueryTests {
    @Test("While lengthy queries run, the others are answered; each ends when its asker has given up")
    func besideOthers() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 7), id: "one")
            await bench.settle()
            // As many as there are readers, and more.
            for number in 0..<4 { bench.askEndlessly(Endless(account: "a"), "endless \(number)", milliseconds: 1000) }

            for number in 0..<50 {
                bench.broker.inject(
                    try bench.envelope(BalanceGet(account: "a"), id: "quick \(number)", answered: true),
                    to: .query(Workbench.service, Bucket(of: "a")), as: .load)
            }
            for number in 0..<50 {
                let (id, answer) = try await bench.nextAnswer()
                #expect(id == "quick \(number)" && answer.applied?.total == 7)
            }

            let (id, answer) = try await bench.nextAnswer()
            #expect(id == "endless 0" && answer.failed?.reason == "took_too_long")
            // Nobody waits any more for the answers of those behind it, and they are not begun.
            #expect(try await bench.ask(BalanceGet(account: "a")).applied?.total == 7)
            bench.askEndlessly(Endless(account: "a"), "last", milliseconds: 500)
            #expect(try await bench.nextAnswer().id == "last")
        }
    }

    @Test("A query that nobody took for lengthy ends in time as well, and those behind it are answered")
    func unforeseen() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 7), id: "one")
            await bench.settle()

            for number in 0..<6 { bench.askEndlessly(Unforeseen(account: "a"), "\(number)", milliseconds: 500) }
            #expect(try await bench.nextAnswer().answer.failed?.reason == "took_too_long")
            // Whatever still comes of the others comes before.
            bench.broker.inject(
                try bench.envelope(BalanceGet(account: "a"), id: "quick", answered: true),
                to: .query(Workbench.service, Bucket(of: "a")), as: .load)
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
    fileprivate func askEndlessly(_ query: some Query, _ id: String, milliseconds: Int) {
        guard var envelope = try? envelope(query, id: id, answered: true) else { return }
        envelope.properties.expiration = String(milliseconds)
        broker.inject(envelope, to: .query(Self.service, Bucket(of: "a")), as: .load)
    }
}
