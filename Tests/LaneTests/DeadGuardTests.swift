import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@Suite("Dead letters that are held back from a replay", .timeLimit(.minutes(1)))
struct DeadGuardTests {
    @Test("After three replays in vain only force replays it")
    func loopGuard() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one") { $0.generation = 0 }
            for life in 0..<3 {
                try await bench.freeze("run\(life)")
                #expect(try await bench.replay("run\(life)").sent == 1)
                await bench.settle()
            }
            #expect(try await bench.freeze("held").guarded == 1)
            #expect(try await bench.replay("held").sent == 0)
            #expect(try await bench.outcomes("held") == ["guarded": 1])
            #expect(try await bench.replay("held", force: true).sent == 1)
            await bench.settle()
            #expect(try await bench.page().map(\.generation) == [4])
        }
    }

    @Test("How often it was replayed a stranger does not say: it is not held back, and no replay of it is lost")
    func strangersCount() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one") { $0.generation = 1_000_000 }
            try await bench.kill(Deposit(account: "b", deed: .wait, until: bench.clock.now + .seconds(60)), id: "two") {
                $0.generation = 7
            }
            #expect(bench.journal.published(to: .retry).map(\.envelope.generation) == [0])
            #expect(try await bench.page().map(\.generation) == [0])
            #expect(try await bench.freeze("run").guarded == 0)
            // It runs before its letter has gone.
            bench.broker.interfere { $0.isReplay ? .arrives(.unknown) : nil }
            try await bench.replay("run")
            await bench.settle()
            #expect(try await bench.outcomes("run") == ["failed": 1])
            #expect(try await bench.page().map(\.generation) == [1])
        }
    }

    @Test("What a process has died of is not tried beforehand, and is replayed by force alone")
    func deadly() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: "a", deed: .fault), id: "one")
            try await work.change("UPDATE dead_letters SET reason = 'crashed'")
            #expect(try await bench.freeze("run").guarded == 1)
            #expect(try await bench.foretold("run") == ["untried": 1])
            #expect(try await bench.replay("run").sent == 0)
            #expect(try await bench.replay("run", force: true).sent == 1)
        }
    }
}
