import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Suspects", .timeLimit(.minutes(1)))
struct SuspectTests {
    /// As a broker delivers what has come back so often.
    @Test("A message on which the process dies three times is not tried again; its neighbours are applied")
    func crash() async throws {
        let bench = try await Workbench()
        let folder = bench.folder.path

        for _ in 0..<3 {
            // A process of its own: it dies in the middle of a transaction, with the message in hand.
            await #expect(processExitsWith: .exitCode(66)) { [folder = folder as String] in
                let bench = try await Workbench(storesIn: URL(fileURLWithPath: folder))
                try SuspectTests.sendAll(on: bench)
                let work = try await bench.open()
                await bench.settle()
                try await work.stop()
            }
        }
        try await bench.whileWorking { work in
            #expect(try await work.number("SELECT tries FROM suspects WHERE id = 'poison'") == 3)
            try Self.sendAll(on: bench)
            await bench.settle()

            let letters = try await work.letters()
            #expect(letters.map(\.id) == ["poison"] && letters.map(\.reason) == ["crashed"])
            #expect(letters.first?.step == "handle")
            #expect(try await work.total("a") == 6)
            #expect(try await work.number("SELECT count(*) FROM suspects") == 0)
        }
    }

    private static func sendAll(on bench: Workbench) throws {
        for (id, amount, deed) in [("before", 2, Deposit.Deed.pay), ("poison", 100, .crash), ("after", 4, .pay)] {
            let envelope = try bench.envelope(Deposit(account: "a", amount: amount, deed: deed), id: id)
            bench.send(envelope, for: "a", returns: 2)
        }
    }

    @Test("What came back twice is applied alone, what came back once with the others")
    func alone() async throws {
        let bench = try await Workbench()
        for (id, times) in [("a", 0), ("b", 1), ("c", 2), ("d", 7), ("e", 0), ("f", 1)] {
            let envelope = try bench.envelope(Deposit(account: "x", amount: 1, deed: .hold), id: id)
            bench.send(envelope, for: "x", returns: times)
        }
        let work = try await bench.start()

        // Each is held within its own transaction; what is committed then shows where the batches end.
        var committed: [[String]] = []
        for _ in 0..<6 {
            await bench.gate.waitForArrival()
            committed.append(try await work.contexts().map(\.id))
            bench.gate.open()
        }
        await bench.settle()
        try await work.stop()

        #expect(
            committed == [
                [], [], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"], ["a", "b", "c", "d"],
            ])
    }

    @Test("Who is applied, refused, retried or dead is suspected no more")
    func acquitted() async throws {
        let bench = try await Workbench(partitions: 4)
        try await bench.whileWorking { work in
            for deed in [Deposit.Deed.pay, .refuse, .wait, .fault] {
                let account = ForwardTests.accounts[0]
                bench.send(try bench.envelope(Deposit(account: account, deed: deed)), for: account, returns: 3)
            }
            // Forwarded.
            bench.broker.inject(
                try bench.envelope(Deposit(account: ForwardTests.accounts[1])),
                to: .command(Workbench.service, Bucket.all[0]), as: .load, returns: 3)
            let checkpoint = PublisherCheckpoint(
                publisher: PublisherID(rawValue: "attest-gateway:1"), routingKey: "entitlement-resolver.0", through: 1,
                unconfirmed: NumberSet(), isFinal: false)
            let envelope = Envelope(
                kind: PublisherCheckpoint.kind, id: MessageID(rawValue: "c"), body: try MessageJSON.encode(checkpoint))
            bench.broker.inject(
                envelope, to: .command(Workbench.service, Bucket.all[0]), as: BrokerUser(of: .attestGateway), returns: 3
            )
            await bench.settle()

            #expect(try await work.number("SELECT count(*) FROM suspects") == 0)
            let report = try await bench.report()
            #expect(report.applied == 1 && report.refused == 1 && report.retrying == 1 && report.forwarded == 1)
        }
    }

    @Test("A message that was in hand whenever a connection was lost is applied once, and suspected of nothing")
    func innocent() async throws {
        let bench = try await Workbench()
        try bench.send(Deposit(account: "a", amount: 3, deed: .hold), id: "one")
        try bench.send(Deposit(account: "a", amount: 4), id: "two")
        let work = try await bench.start()

        await bench.gate.waitForArrival()
        for _ in 0..<6 {
            bench.broker.goDown()
            bench.broker.comeUp()
        }
        bench.gate.open()
        await bench.settle()

        #expect(try await work.total("a") == 7)
        #expect(try await work.letters().isEmpty)
        #expect(try await work.number("SELECT count(*) FROM suspects") == 0)
        try await work.stop()
    }

    @Test("After sixty deaths of its owner with everything in hand each message is applied, alone, and none condemned")
    func sixtyDeaths() async throws {
        let bench = try await Workbench()
        for index in 0..<20 { try bench.send(Deposit(account: "a"), id: "\(index)") }
        for _ in 0..<60 {
            let session = try await bench.broker.openSession(named: "one that dies")
            let subscription = try await session.subscribe(to: bench.queue(), prefetch: 20)
            let inHand = try await subscription.next(upTo: 20, bytes: 1 << 20)
            #expect(inHand?.count == 20)
            await session.close()
        }

        try await bench.whileWorking { work in
            await bench.settle()

            let total = try await work.total("a")
            #expect(total == 20)
            #expect(try await work.letters().isEmpty)
            #expect(bench.broker.depth(of: "entitlement-resolver.dead") == 0)
            #expect(try await work.number("SELECT count(*) FROM suspects") == 0)
        }
    }
}
