import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Outbox", .timeLimit(.minutes(1)))
struct OutboxTests {
    @Test("What a commit leaves is published in order, carrying its cause, and gone once it is confirmed")
    func publishing() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: "a", amount: 5, deed: .announce), id: "0193-cause")
            envelope.acceptedAt = bench.clock.now - .seconds(9)
            envelope.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            bench.send(envelope, for: "a")
            try bench.send(Deposit(account: "b", amount: 3, deed: .announce))
            #expect(await eventually { bench.journal.published(to: .events).count == 8 })
            #expect(await eventually { (try? await work.outboxCount()) == 0 })

            let published = bench.journal.published(to: .events)
            let events = try published.map { try MessageJSON.decode(Deposited.self, from: $0.envelope.body) }
            #expect(events.map(\.account) == Array(repeating: "a", count: 5) + Array(repeating: "b", count: 3))
            #expect(events.map(\.number) == [0, 1, 2, 3, 4, 0, 1, 2])
            let first = published[0]
            #expect(first.route == .event(Deposited.kind, Bucket(of: "a")) && !first.isMandatory)
            #expect(first.envelope.kind == Deposited.kind && first.envelope.key == "a")
            #expect(first.envelope.cause?.rawValue == "0193-cause")
            #expect(first.envelope.acceptedAt == envelope.acceptedAt)
            #expect(first.envelope.traceparent == envelope.traceparent)
            #expect(first.envelope.properties.deliveryMode == 2)
            #expect(Set(published.map(\.envelope.id)).count == 8)
        }
    }

    @Test("Nothing is published before the commit that it follows from")
    func afterCommit() async throws {
        let bench = try await Workbench()
        try bench.send(Deposit(account: "a", amount: 3, deed: .announce))
        try bench.send(Deposit(account: "a", deed: .hold))
        let work = try await bench.start()

        await bench.gate.waitForArrival()
        // Both are in one batch: the first has been applied and waits for the commit. What publishes has its turn while
        // questions go to the partition and back.
        for _ in 0..<50 { #expect(try await bench.ask(BalanceGet(account: "a")).refused != nil) }
        #expect(bench.journal.published(to: .events).isEmpty)
        bench.gate.open()

        #expect(await eventually(every: .milliseconds(2)) { bench.journal.published(to: .events).count == 3 })
        try await work.stop()
    }

    @Test("What a failing message wanted to publish is not published")
    func ofTheFailed() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 2, deed: .announce))
            try bench.send(Deposit(account: "b", amount: 2, deed: .announce), id: "one")
            // Announces under a used id: rolled back with its savepoint.
            try bench.send(Deposit(account: "c", amount: 2, deed: .announce), id: "one")
            await bench.settle()
            #expect(await eventually { (try? await work.outboxCount()) == 0 })

            #expect(Set(bench.journal.published(to: .events).compactMap(\.envelope.key)) == ["a", "b"])
        }
    }

    @Test("What was not confirmed is published again under the same id, after a restart too")
    func restart() async throws {
        let bench = try await Workbench()
        bench.broker.interfere { $0.route.exchange == .events ? .arrives(.unknown) : nil }
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 3, deed: .announce))
            #expect(await eventually { bench.journal.published(to: .events).count >= 3 })
            #expect(try await work.outboxCount() == 3)
        }
        let before = bench.journal.published(to: .events)
        bench.broker.interfere(nil)

        try await bench.whileWorking { work in
            #expect(await eventually { (try? await work.outboxCount()) == 0 })
            let after = bench.journal.published(to: .events).dropFirst(before.count)

            #expect(after.map(\.envelope.id) == before.prefix(3).map(\.envelope.id))
            #expect(after.map(\.envelope.body) == before.prefix(3).map(\.envelope.body))
            #expect(after.map(\.envelope.acceptedAt) == before.prefix(3).map(\.envelope.acceptedAt))
        }
    }

    @Test("The same cause leaves the same ids, whenever and however often it is applied")
    func stableIDs() async throws {
        var published: [[MessageID?]] = []
        for _ in 0..<2 {
            let bench = try await Workbench()
            bench.clock.advance(by: .seconds(Int64.random(in: 0...1000)))
            try await bench.whileWorking { work in
                try bench.send(
                    Deposit(account: "a", amount: 3, deed: .announce), id: "01937b6e-2f0a-7c3e-8a51-3f6d2b9c4e10")
                #expect(await eventually { bench.journal.published(to: .events).count == 3 })
            }
            published.append(bench.journal.published(to: .events).map(\.envelope.id))
        }

        #expect(published[0] == published[1])
        #expect(published[0].allSatisfy { $0?.rawValue.hasPrefix("01937b6e-2f0a-7") == true })
    }

    @Test("A row that cannot be delivered waits, and delays no other", .timeLimit(.minutes(1)))
    func undeliverable() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", deed: .sendNowhere))
            // Until it has been tried so often that the next try is seconds away.
            #expect(await eventually { bench.journal.published(to: .commands).count >= 5 })
            let began = ContinuousClock.now
            for index in 0..<20 {
                try bench.send(Deposit(account: "b", amount: 1, deed: .announce))
                #expect(
                    await eventually(every: .milliseconds(1)) {
                        bench.journal.published(to: .events).count == index + 1
                    })
            }

            // Each would have waited for the next try, were they tied together.
            #expect(ContinuousClock.now - began < .seconds(8))
            #expect(await eventually { (try? await work.outboxCount()) == 1 })
            #expect(try await bench.report().unpublished == 1)
        }
    }

    @Test("A row that could not be delivered goes out once it can be")
    func deliverableAgain() async throws {
        let bench = try await Workbench()
        let isBroken = Mutex(true)
        bench.broker.interfere { publication in
            publication.route.exchange == .commands && isBroken.withLock { $0 } ? nil : .arrives(.confirmed)
        }
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", deed: .sendNowhere))
            #expect(await eventually { bench.journal.published(to: .commands).count >= 2 })
            #expect(try await work.outboxCount() == 1)
            isBroken.withLock { $0 = false }

            #expect(await eventually { (try? await work.outboxCount()) == 0 })
            #expect(Set(bench.journal.published(to: .commands).map(\.envelope.id)).count == 1)
        }
    }

    @Test("While the broker takes nothing, messages are applied on, and their rows wait for it")
    func blocked() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            bench.broker.block()
            for _ in 0..<50 { try bench.send(Deposit(account: "a", amount: 4, deed: .announce)) }
            await bench.settle()
            #expect(try await work.outboxCount() == 200)
            bench.broker.unblock()

            #expect(await eventually { (try? await work.outboxCount()) == 0 })
            #expect(Set(bench.journal.published(to: .events).map(\.envelope.id)).count == 200)
        }
    }

    @Test("More rows than are held in memory all go out, from one commit and from many")
    func many() async throws {
        let bench = try await Workbench()
        let latch = Latch()
        bench.journal.before { _ in await latch.wait() }
        // Routing so many is not what is tested.
        bench.broker.interfere { $0.route.exchange == .events ? .isLost(.confirmed) : nil }
        try await bench.whileWorking { work in
            for _ in 0..<5 { try bench.send(Deposit(account: "a", amount: 4_000, deed: .announce)) }
            try bench.send(Deposit(account: "b", amount: 20_000, deed: .announce))
            await bench.settle()
            latch.open()

            #expect(await eventually { (try? await work.outboxCount()) == 0 })
            #expect(Set(bench.journal.published(to: .events).map(\.envelope.id)).count == 40_000)
        }
    }

    @Test("A lost connection loses no row")
    func disconnected() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 10, deed: .announce))
            #expect(await eventually { bench.journal.published(to: .events).count >= 10 })
            for index in 0..<5 {
                bench.broker.goDown()
                try bench.send(Deposit(account: "a", amount: 10, deed: .announce), id: "\(index)")
                bench.broker.comeUp()
                await bench.settle()
            }

            #expect(await eventually { (try? await work.outboxCount()) == 0 })
            #expect(Set(bench.journal.published(to: .events).map(\.envelope.id)).count == 60)
        }
    }
}
