import Foundation
import Lane
import Messages
import Messaging
import TestSupport
import Testing

@Suite("Requests that are settled already", .timeLimit(.minutes(1)))
struct SettledTests {
    @Test("What has nothing to write is answered from a reader, also while the writer is held")
    func whileWriting() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            #expect(try await bench.ask(AccountOpen(account: "a")).applied?.total == 0)
            try bench.send(Deposit(account: "a", amount: 5, deed: .hold), id: "one")
            await bench.gate.waitForArrival()

            // As of the last commit.
            #expect(try await bench.ask(AccountOpen(account: "a")).applied?.total == 0)
            bench.gate.open()
            await bench.settle()

            #expect(try await bench.ask(AccountOpen(account: "a")).applied?.total == 5)
            // One was applied; the others were answered.
            #expect(try await bench.report().applied == 2)
        }
    }

    @Test("What comes in one batch and is not settled yet is applied in order, once")
    func sameBatch() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for index in 0..<200 {
                let account = String(index % 4)
                bench.broker.inject(
                    try bench.envelope(AccountOpen(account: account), id: "\(index)", answered: true),
                    to: .query(Workbench.service, Bucket(of: account)), as: .load)
            }
            for _ in 0..<200 { #expect(try await bench.nextAnswer().answer.applied?.total == 0) }

            // Whoever raced found the account that the other had opened.
            #expect(await eventually { bench.journal.published(to: .events).count == 4 })
            #expect(await eventually { (try? await work.outboxCount()) == 0 })
            #expect(bench.journal.published(to: .events).count == 4)
        }
    }

    @Test("Whoever has an answer finds it settled: no later snapshot is from before its commit")
    func afterAnswer() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            for index in 0..<50 {
                let account = String(index)
                let first = try await bench.ask(AccountOpen(account: account))
                let second = try await bench.ask(AccountOpen(account: account))
                #expect(first.applied == Balance(total: 0) && second.applied == Balance(total: 0))
            }

            let report = try await bench.report()
            #expect(report.applied == 50)
        }
    }

    @Test("A look that fails is no answer: the request is applied")
    func failingLook() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            for _ in 0..<2 {
                let answer = try await bench.ask(AccountOpen(account: "a", isLookFailing: true))
                #expect(answer.applied?.total == 0)
            }

            let report = try await bench.report()
            #expect(report.applied == 2)
        }
    }

    @Test("A stranger's request, one of another partition and one that cannot be read are not looked at")
    func refused() async throws {
        let bench = try await Workbench(partitions: 4)
        try await bench.whileWorking { _ in
            let own = ForwardTests.accounts[0]
            #expect(try await bench.ask(AccountOpen(account: own)).applied != nil)
            #expect(
                try await bench.ask(AccountOpen(account: own), as: .operatorTool).failed?.reason == "not_from_owner")
            bench.broker.inject(
                try bench.envelope(AccountOpen(account: ForwardTests.accounts[1]), answered: true),
                to: .query(Workbench.service, Bucket.all[0]), as: .load)
            #expect(try await bench.nextAnswer().answer.failed?.reason == "no_owner")
            var broken = try bench.envelope(AccountOpen(account: own), answered: true)
            broken.body = Array("{".utf8)
            bench.broker.inject(broken, to: .query(Workbench.service, Bucket(of: own)), as: .load)
            #expect(try await bench.nextAnswer().answer.failed?.reason == "undecodable")
        }
    }
}
