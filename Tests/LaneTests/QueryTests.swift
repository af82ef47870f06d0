import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Queries and requests", .timeLimit(.minutes(1)))
struct QueryTests {
    @Test("A query is answered from a reader, also while the writer is held")
    func whileWriting() async throws {
        let bench = try await Workbench()
        let work = try await bench.start()
        try bench.send(Deposit(account: "a", amount: 7), id: "one")
        await bench.settle()
        try bench.send(Deposit(account: "a", amount: 5, deed: .hold), id: "two")
        await bench.gate.waitForArrival()

        // As of the last commit.
        #expect(try await bench.ask(BalanceGet(account: "a")).applied?.total == 7)
        #expect(try await bench.ask(BalanceGet(account: "b")).refused?.reason == "account_unknown")
        bench.gate.open()
        await bench.settle()

        #expect(try await bench.ask(BalanceGet(account: "a")).applied?.total == 12)
        try await work.stop()
    }

    @Test("An answer carries the correlation of its question, or its id, and its trace; it is transient")
    func answerEnvelope() async throws {
        let bench = try await Workbench()
        let session = try await bench.broker.openSession(named: "asker")
        try await session.declareExclusive(queue: "replies.asker", bindings: [])
        let replies = try await session.subscribe(to: "replies.asker", prefetch: 10)
        try await bench.whileWorking { _ in
            var question = try bench.envelope(BalanceGet(account: "a"), id: "id")
            question.properties.replyTo = "replies.asker"
            question.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            for correlation in [nil, "correlation"] {
                question.properties.correlationID = correlation
                bench.broker.inject(question, to: .query(Workbench.service, Bucket(of: "a")), as: .load)
                let reply = try #require(try await replies.next(upTo: 1, bytes: 1 << 20)?.first).envelope

                #expect(reply.kind == "answer.v1" && reply.properties.deliveryMode == 1)
                #expect(reply.properties.correlationID == correlation ?? "id")
                #expect(reply.traceparent == question.traceparent)
                #expect(reply.properties.userID == "entitlement-resolver")
            }
        }
    }

    @Test(
        "What is no query of this service is answered so",
        arguments: [
            ("balance.get.v1", "{", "undecodable"), ("balance.get.v1", "[]", "undecodable"),
            ("balance.get.v2", "{}", "kind_unknown"),
            ("deposit.v1", #"{"account":"a","amount":1,"deed":"pay"}"#, "kind_unknown"),
            ("", "{}", "kind_unknown"),
        ])
    func noQuery(kind: String, body: String, reason: String) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(BalanceGet(account: "a"), answered: true)
            envelope.properties.type = kind
            envelope.body = Array(body.utf8)
            bench.broker.inject(envelope, to: .query(Workbench.service, Bucket(of: "a")), as: .load)

            #expect(try await bench.nextAnswer().answer.failed?.reason == reason)
            // A command that comes this way is not applied: nobody would ever know of it.
            #expect(try await work.total("a") == 0)
        }
    }

    @Test("A query with authors is answered to them alone")
    func authors() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 7), id: "one")
            await bench.settle()

            for user in [nil, .load, BrokerUser(rawValue: "Tollgate"), BrokerUser(of: .attestGateway)] {
                #expect(try await bench.ask(BalanceAudit(account: "a"), as: user).failed?.reason == "not_from_owner")
            }
            #expect(try await bench.ask(BalanceAudit(account: "a"), as: .operatorTool).applied?.total == 7)
        }
    }

    @Test("A request writes, and is answered after its commit; of it no row is left in inbox, ladder or dead letters")
    func requests() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 10), id: "one")
            await bench.settle()

            #expect(try await bench.ask(Withdraw(account: "a", amount: 4)).applied?.total == 6)
            #expect(try await work.total("a") == 6)
            #expect(try await bench.ask(Withdraw(account: "a", amount: 7)).refused?.reason == "too_little")
            #expect(try await bench.ask(Withdraw(account: "b", amount: 1)).refused?.reason == "too_little")
            #expect(await eventually { bench.journal.published(to: .events).count == 1 })
            #expect(await eventually { (try? await work.outboxCount()) == 0 })

            #expect(try await work.inboxCount() == 1)
            #expect(try await work.letters().isEmpty)
            let report = try await bench.report()
            #expect(report.retrying == 0 && report.applied == 2 && report.refused == 2)
        }
    }

    @Test("The same request twice writes twice: repeats are its own natural key's business")
    func repeatedRequest() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 10), id: "one")
            await bench.settle()
            let envelope = try bench.envelope(Withdraw(account: "a", amount: 4), id: "same", answered: true)

            for total in [6, 2] {
                bench.broker.inject(envelope, to: .query(Workbench.service, Bucket(of: "a")), as: .load)
                #expect(try await bench.nextAnswer().answer.applied?.total == total)
            }
        }
    }

    @Test("A request on which no verdict can be reached is answered so, and leaves nothing behind")
    func failingRequest() async throws {
        let bench = try await Workbench(partitions: 4)
        try await bench.whileWorking { work in
            var broken = try bench.envelope(Withdraw(account: ForwardTests.accounts[0], amount: 1), answered: true)
            broken.body = Array("{".utf8)
            bench.broker.inject(broken, to: .query(Workbench.service, Bucket.all[0]), as: .load)
            #expect(try await bench.nextAnswer().answer.failed?.reason == "undecodable")
            // Its key is another partition's: the sender has to know, for nothing is kept of it.
            bench.broker.inject(
                try bench.envelope(Withdraw(account: ForwardTests.accounts[1], amount: 1), answered: true),
                to: .query(Workbench.service, Bucket.all[0]), as: .load)
            #expect(try await bench.nextAnswer().answer.failed?.reason == "no_owner")

            #expect(try await work.letters().isEmpty)
            #expect(try await work.inboxCount() == 0)
            #expect(try await bench.get(DeadGroupsGet(partition: 0, filter: LetterFilter())).everDied == 0)
            #expect(bench.journal.published(to: .requeue).isEmpty)
            #expect(bench.journal.published(to: .retry).isEmpty)
        }
    }

    @Test("Many questions at once are all answered")
    func many() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 300), id: "one")
            await bench.settle()
            for index in 0..<600 {
                let envelope =
                    index % 2 == 0
                    ? try bench.envelope(BalanceGet(account: "a"), id: "\(index)", answered: true)
                    : try bench.envelope(Withdraw(account: "a", amount: 1), id: "\(index)", answered: true)
                bench.broker.inject(envelope, to: .query(Workbench.service, Bucket(of: "a")), as: .load)
            }
            var ids: Set<String> = []
            for _ in 0..<600 {
                let (id, answer) = try await bench.nextAnswer()
                #expect(answer.applied != nil)
                ids.insert(id ?? "")
            }

            #expect(ids.count == 600)
            #expect(try await work.total("a") == 0)
        }
    }

    @Test("A message without a wish for an answer gets none")
    func noAnswer() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            bench.broker.inject(
                try bench.envelope(BalanceGet(account: "a")), to: .query(Workbench.service, Bucket(of: "a")), as: .load)
            var empty = try bench.envelope(Withdraw(account: "b", amount: 1))
            empty.properties.replyTo = ""
            bench.broker.inject(empty, to: .query(Workbench.service, Bucket(of: "a")), as: .load)
            try bench.send(Deposit(account: "a"), id: "one")
            await bench.settle()

            #expect(try await bench.ask(BalanceGet(account: "a")).applied?.total == 1)
        }
    }
}
