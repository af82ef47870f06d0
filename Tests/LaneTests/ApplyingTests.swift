import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@Suite("Applying", .timeLimit(.minutes(1)))
struct ApplyingTests {
    @Test("A message that comes many times is applied once, in one batch or in many")
    func once() async throws {
        let bench = try await Workbench()
        let deposit = Deposit(account: "a", amount: 10)
        // Before the start, so that they come in one batch.
        for _ in 0..<5 { try bench.send(deposit, id: "one") }

        try await bench.whileWorking { work in
            await bench.settle()
            for _ in 0..<5 {
                try bench.send(deposit, id: "one")
                await bench.settle()
            }
            try bench.send(deposit, id: "two")
            await bench.settle()

            #expect(try await work.total("a") == 20)
            #expect(try await work.inboxCount() == 2)
            let report = try await bench.report()
            #expect(report.applied == 2)
            #expect(report.repeated == 9)
        }
    }

    @Test("What was applied is remembered over a restart")
    func restart() async throws {
        let bench = try await Workbench()

        for _ in 0..<2 {
            try await bench.whileWorking { work in
                try bench.send(Deposit(account: "a", amount: 10), id: "one")
                await bench.settle()
                #expect(try await work.total("a") == 10)
            }
        }
    }

    @Test("The answer is stored with the effect, and repeats get the same one")
    func answer() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 10), id: "one", answered: true)
            let first = try await bench.nextAnswer()
            try bench.send(Deposit(account: "a", amount: 5), id: "two", answered: true)
            let second = try await bench.nextAnswer()
            try bench.send(Deposit(account: "a", amount: 10), id: "one", answered: true)
            let again = try await bench.nextAnswer()

            #expect(first.id == "one" && first.answer.applied == Balance(total: 10))
            #expect(second.id == "two" && second.answer.applied == Balance(total: 15))
            #expect(again.id == "one" && again.answer.applied == Balance(total: 10))
        }
        // The one who asks may be another by then, and so may the service.
        try await bench.whileWorking { _ in
            try bench.send(Deposit(account: "a", amount: 10), id: "one", answered: true)
            #expect(try await bench.nextAnswer().answer.applied == Balance(total: 10))
        }
    }

    @Test(
        "Whoever asked is gone, or cannot be told: his answer holds up nothing, and is there when he asks again",
        arguments: [false, true])
    func askerGone(isBlocked: Bool) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            if isBlocked { bench.broker.block() }
            for index in 1...20 {
                var envelope = try bench.envelope(Deposit(account: "a"), id: "\(index)", answered: true)
                if !isBlocked { envelope.properties.replyTo = "replies.of-an-edge-that-was" }
                bench.send(envelope, for: "a")
            }
            await bench.settle()
            #expect(try await work.total("a") == 20)
            bench.broker.unblock()

            try bench.send(Deposit(account: "a"), id: "7", answered: true)
            let again = try await bench.nextAnswer()
            #expect(again.id == "7" && again.answer.applied == Balance(total: 7))
            #expect(try await work.outboxCount() == 0)
            let report = try await bench.report()
            #expect(report.applied == 20 && report.repeated == 1 && report.dead.isEmpty)
        }
    }

    @Test("A refusal is an end like any other: stored, counted, and answered the same each time")
    func refusal() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for _ in 0..<2 {
                try bench.send(Deposit(account: "a", deed: .refuse), id: "one", answered: true)
                #expect(try await bench.nextAnswer().answer.refused?.reason == "not_wanted")
            }

            #expect(try await work.total("a") == 1)
            let report = try await bench.report()
            #expect(report.refused == 1 && report.repeated == 1 && report.dead.isEmpty)
        }
    }

    @Test("A message that fails undoes itself and none of its neighbours, wherever it stands", arguments: 0..<5)
    func savepoint(position: Int) async throws {
        let bench = try await Workbench()
        for index in 0..<5 {
            try bench.send(
                index == position
                    ? Deposit(account: "bad", deed: .fault) : Deposit(account: "good", amount: 1 << index))
        }

        try await bench.whileWorking { work in
            await bench.settle()

            let (bad, good) = (try await work.total("bad"), try await work.total("good"))
            #expect(bad == 0)
            #expect(good == 31 - (1 << position))
            #expect(try await work.inboxCount() == 4)
            #expect(try await work.letters().map(\.reason) == ["hopeless"])
        }
    }

    @Test("What is kept beside the store is told of a message after its commit, and of none that was rolled back")
    func besideTheStore() async throws {
        let bench = try await Workbench()
        for (account, deed) in [("a", Deposit.Deed.pay), ("b", .refuse), ("c", .fault), ("d", .wait), ("e", .hold)] {
            try bench.send(Deposit(account: account, deed: deed), id: account)
        }
        let work = try await bench.start()
        await bench.gate.waitForArrival()
        // All that goes before is applied, or undone, and nothing is committed.
        #expect(bench.memory.accounts.isEmpty)
        bench.gate.open()
        #expect(await eventually(every: .milliseconds(2)) { bench.memory.accounts.count >= 3 })

        try bench.send(Deposit(account: "a"), id: "a")
        try bench.send(Deposit(account: "f"), id: "f")
        #expect(await eventually(every: .milliseconds(2)) { bench.memory.accounts.contains("f") })
        #expect(bench.memory.accounts == ["a", "b", "e", "f"])
        try await work.stop()
    }

    @Test("Another body, or another kind, under an id that was used is a dead letter, and its sender is told")
    func idReused() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 10), id: "one")
            await bench.settle()
            try bench.send(Deposit(account: "a", amount: 11), id: "one", answered: true)
            let answer = try await bench.nextAnswer().answer
            bench.send(try bench.envelope(Gift(account: "a", amount: 10), id: "one"), for: "a")
            await bench.settle()

            #expect(answer.failed?.reason == "id_reused")
            #expect(try await work.total("a") == 10)
            let letters = try await work.letters()
            #expect(letters.map(\.reason) == ["id_reused", "id_reused"])
            #expect(letters.map(\.kind) == ["deposit.v1", "gift.v1"])
            #expect(letters.first?.id == "one")
            #expect(try letters.first?.body == MessageJSON.encode(Deposit(account: "a", amount: 11)))
        }
    }

    @Test("A stranger's message without an id is applied once a day")
    func strangers() async throws {
        let bench = try await Workbench { $0.limits.upkeepInterval = .milliseconds(5) }
        let deposit = Deposit(account: "a", amount: 10)
        try await bench.whileWorking { work in
            for _ in 0..<3 { try bench.send(deposit, id: nil, as: nil) }
            try bench.send(Deposit(account: "a", amount: 1), id: "", as: nil)
            await bench.settle()
            #expect(try await work.total("a") == 11)

            bench.clock.advance(by: .seconds(86_400 - 1))
            try bench.send(deposit, id: nil, as: nil)
            await bench.settle()
            #expect(try await work.total("a") == 11)

            bench.clock.advance(by: .seconds(2))
            #expect(await eventually { (try? await work.inboxCount()) == 0 })
            try bench.send(deposit, id: nil, as: nil)
            await bench.settle()
            #expect(try await work.total("a") == 21)
        }
    }

    @Test("Ids are kept as long as the setting says, and only then forgotten")
    func inboxKept() async throws {
        let bench = try await Workbench {
            $0.limits.upkeepInterval = .milliseconds(5)
            $0.limits.inboxKept = .seconds(3 * 86_400)
        }
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a"), id: "0193-early")
            await bench.settle()
            bench.clock.advance(by: .seconds(2 * 86_400))
            try bench.send(Deposit(account: "a"), id: "0193-late")
            await bench.settle()
            bench.clock.advance(by: .seconds(86_400) + .milliseconds(1))

            #expect(await eventually { (try? await work.inboxCount()) == 1 })
            #expect(try await work.number("SELECT count(*) FROM inbox WHERE id = '0193-late'") == 1)
        }
    }

    @Test(
        "A message is accepted when its author says, but neither later than it arrived nor before there was anybody to do so"
    )
    func acceptedAt() async throws {
        let bench = try await Workbench()
        let yearOne = try #require(Timestamp(rfc3339: "0001-01-01T00:00:00Z"))
        let now = bench.clock.now
        try await bench.whileWorking { work in
            for (id, time) in [
                ("past", now - .seconds(60)), ("present", now), ("future", now + .seconds(60)),
                ("far", .distantFuture), ("first", MessageContext.earliest), ("ancient", yearOne),
            ] {
                var envelope = try bench.envelope(Deposit(account: "a"), id: id)
                envelope.acceptedAt = time
                bench.send(envelope, for: "a")
            }
            try bench.send(Deposit(account: "a"), id: "silent")
            await bench.settle()

            let told = try await work.contexts().map { [$0.id, $0.acceptedAt.rfc3339] }
            #expect(
                told == [
                    ["past", (now - .seconds(60)).rfc3339], ["present", now.rfc3339], ["future", now.rfc3339],
                    ["far", now.rfc3339], ["first", "2020-01-01T00:00:00.000Z"],
                    ["ancient", "2020-01-01T00:00:00.000Z"], ["silent", now.rfc3339],
                ])
        }
    }

    @Test("A configuration event is taken by every partition, whoever owns its key")
    func configuration() async throws {
        let bench = try await Workbench(partitions: 4)
        let record = AppRecord(
            organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "app"), version: 1,
            changedAt: bench.clock.now)
        let event = AppChanged(record: record)
        try await bench.whileWorking { work in
            bench.broker.inject(
                try bench.envelope(event, id: "one"), to: .event(AppChanged.kind, event.bucket),
                as: BrokerUser(of: .attestGateway))
            await bench.settle()

            for number in 0..<4 { #expect(try await work.contexts(of: number).map(\.id) == ["one"]) }
        }
    }

    @Test("What does not fit into one commit, prepared in parallel, is applied in order and without a loss")
    func many() async throws {
        let bench = try await Workbench { $0.limits.batchCount = 100 }
        for index in 0..<700 { try bench.send(Deposit(account: "a", amount: 1), id: "\(index)") }

        try await bench.whileWorking { work in
            await bench.settle()

            let ids = try await work.contexts().map(\.id)
            #expect(ids == (0..<700).map(String.init))
            #expect(try await work.total("a") == 700)
        }
    }
}
