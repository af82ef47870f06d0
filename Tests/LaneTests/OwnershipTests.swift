import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Ownership of a partition", .timeLimit(.minutes(1)))
struct OwnershipTests {
    private func queries(of bench: Workbench) -> (queue: String, bindings: [Binding]) {
        Topology.queries(Workbench.service, 0, of: .one)
    }

    @Test("While another has the queue of queries, a partition stands by; when that one goes it takes over")
    func standby() async throws {
        let bench = try await Workbench()
        let other = try await bench.broker.openSession(named: "other host")
        let (queue, bindings) = queries(of: bench)
        try await other.declareExclusive(queue: queue, bindings: bindings)
        try bench.send(Deposit(account: "a", amount: 3))

        let work = try await bench.open()
        #expect(await eventually(every: .milliseconds(2)) { work.complaints.first?.contains("standby") == true })
        #expect(bench.broker.waiting(in: bench.queue()).count == 1)
        #expect(try await work.total("a") == 0)
        await other.close()
        await bench.settle()

        #expect(work.complaints.isEmpty)
        #expect(try await work.total("a") == 3)
        try await work.stop()
    }

    @Test("A stop finishes and acknowledges what is in hand, takes nothing more, and charges nobody")
    func drain() async throws {
        let bench = try await Workbench { $0.limits.prefetch = 3 }
        for (id, deed) in [("0", Deposit.Deed.hold), ("1", .pay), ("2", .announce), ("3", .pay), ("4", .pay)] {
            try bench.send(Deposit(account: "a", deed: deed), id: id, answered: id == "1")
        }
        let work = try await bench.start()
        await bench.gate.waitForArrival()

        work.beginToStop()
        bench.gate.open()
        try await work.stop()

        // What was not in hand waits, and has never been delivered: it comes without a count.
        let waiting = bench.broker.waiting(in: bench.queue())
        #expect(waiting.map(\.id?.rawValue) == ["3", "4"])
        #expect(bench.broker.depth(of: bench.queue()) == 2)
        #expect(try await bench.nextAnswer().id == "1")
        #expect(bench.journal.published(to: .events).count == 1)
        #expect(bench.broker.waiting(in: queries(of: bench).queue).isEmpty)
        let next = try await bench.start()
        await bench.settle()
        #expect(try await next.total("a") == 5)
        #expect(try await next.outboxCount() == 0)
        #expect(try await bench.report().repeated == 0)
        try await next.stop()
    }

    @Test("Sixty stops in a row, each with everything in hand that may be, charge no message and lose none")
    func sixtyStops() async throws {
        let bench = try await Workbench { $0.limits.prefetch = 20 }
        // Ten more than may be in hand, so that some always wait; the last ones sent are never the first in hand.
        for _ in 0..<10 { try bench.send(Deposit(account: "a")) }
        for _ in 0..<60 {
            try bench.send(Deposit(account: "a", deed: .hold))
            for _ in 0..<19 { try bench.send(Deposit(account: "a")) }
            let work = try await bench.start()
            await bench.gate.waitForArrival()
            work.beginToStop()
            bench.gate.open()
            try await work.stop()
        }

        // Whatever waits now was left behind by a stop.
        let session = try await bench.broker.openSession(named: "onlooker")
        let subscription = try await session.subscribe(to: bench.queue(), prefetch: 100)
        let waiting = bench.broker.depth(of: bench.queue())
        let left = waiting == 0 ? [] : try await subscription.next(upTo: 100, bytes: 1 << 20) ?? []
        #expect(left.count == waiting)
        #expect(left.allSatisfy { $0.deliveryCount == 0 })
        await session.close()
        try await bench.whileWorking { work in
            await bench.settle()
            let total = try await work.total("a")
            #expect(total == 10 + 60 * 20)
            #expect(try await work.letters().isEmpty)
            #expect(try await work.number("SELECT count(*) FROM suspects") == 0)
            #expect(try await bench.report().repeated == 0)
        }
    }

    @Test("Of two owners with copies of one store one works; the other publishes nothing and waits for its end")
    func copies() async throws {
        let bench = try await Workbench()
        bench.broker.block()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 3, deed: .announce))
            await bench.settle()
            #expect(try await work.outboxCount() == 3)
        }
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("lane-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: bench.folder, to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        let other = try await Workbench(storesIn: copy, sharing: bench.broker)
        bench.broker.unblock()

        let first = try await bench.start()
        let second = try await other.open()
        #expect(await eventually(every: .milliseconds(2)) { second.complaints.first?.contains("standby") == true })
        for _ in 0..<20 { try bench.send(Deposit(account: "a")) }
        await bench.settle()
        #expect(await eventually { (try? await first.outboxCount()) == 0 })
        #expect(try await first.total("a") == 23)
        #expect(try await second.total("a") == 3)
        #expect(other.journal.published(to: .events).isEmpty)
        #expect(try await second.outboxCount() == 3)

        try await first.stop()
        try bench.send(Deposit(account: "a"))
        await bench.settle()
        #expect(await eventually { (try? await second.total("a")) == 4 })
        // The rows of the copy go out once more, under the ids that they had.
        #expect(await eventually { (try? await second.outboxCount()) == 0 })
        #expect(
            Set(other.journal.published(to: .events).map(\.envelope.id))
                == Set(bench.journal.published(to: .events).map(\.envelope.id)))
        try await second.stop()
    }

    @Test("A stop waits for a copy that is on its way into the ladder")
    func drainOfCopies() async throws {
        let bench = try await Workbench()
        let latch = Latch()
        bench.journal.before { publications in
            if publications.contains(where: { $0.route.exchange == .retry }) { await latch.wait() }
        }
        let work = try await bench.start()
        try bench.send(Deposit(account: "a", deed: .wait), id: "one")
        await latch.waitForArrival()

        work.beginToStop()
        latch.open()
        try await work.stop()

        #expect(bench.broker.depth(of: bench.queue()) == 0)
        #expect(bench.broker.waiting(in: bench.rung(0)).count == 1)
    }

    @Test("A stop while nothing can be reached ends too")
    func stopWhileDown() async throws {
        let bench = try await Workbench()
        let work = try await bench.start()
        bench.broker.goDown()
        #expect(await eventually(every: .milliseconds(2)) { !work.complaints.isEmpty })

        try await work.stop()

        #expect(work.complaints == ["\(bench.address()): stopped"])
    }

    @Test("After its end a partition's store is closed, with nothing left beside it, and can be moved as one file")
    func closed() async throws {
        let bench = try await Workbench()
        let work = try await bench.start()
        try bench.send(Deposit(account: "a", amount: 3))
        await bench.settle()
        try await work.stop()

        let path = bench.address().storePath(in: bench.folder.path)
        // The program may still know the service: it is not its going that closes the store.
        let isOpen = withExtendedLifetime(work) { FileManager.default.fileExists(atPath: path + "-wal") }
        #expect(!isOpen)
        let moved = bench.folder.appendingPathComponent("moved")
        try FileManager.default.createDirectory(at: moved, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: path, toPath: bench.address().storePath(in: moved.path))

        let database = try await Database.open(
            at: bench.address().storePath(in: moved.path), as: bench.address().identity, schema: [.lane, depositSchema])
        #expect(try await database.read { try $0.first("SELECT total FROM accounts") { try $0.int(0) } } == 3)
        await database.close()
    }

    @Test("A partition whose queue of queries vanishes gives up what it owns, and takes it again")
    func queriesGone() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 3))
            await bench.settle()
            bench.broker.delete(queue: queries(of: bench).queue)

            // Without an owner a question comes back; with one it is answered.
            let question = Publication(
                try bench.envelope(BalanceGet(account: "a"), answered: true),
                to: .query(Workbench.service, Bucket(of: "a")), isMandatory: true)
            #expect(
                await eventually(every: .milliseconds(2)) {
                    await bench.broker.publisher.publish(question, deadline: .now + .seconds(5)) == .confirmed
                })
            #expect(try await bench.nextAnswer().answer.applied?.total == 3)
        }
    }

    @Test("A partition whose queue was deleted declares it again and goes on")
    func queueGone() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            bench.broker.delete(queue: bench.queue())
            bench.broker.delete(queue: "entitlement-resolver.dead")

            let deposit = Publication(
                try bench.envelope(Deposit(account: "a", amount: 3), id: "one"),
                to: .command(Workbench.service, Bucket(of: "a")), isMandatory: true)
            #expect(
                await eventually(every: .milliseconds(2)) {
                    await bench.broker.publisher.publish(deposit, deadline: .now + .seconds(5)) == .confirmed
                })
            #expect(await eventually { (try? await work.total("a")) == 3 })
        }
    }

    @Test("A lost connection in the middle of a batch applies nothing twice")
    func disconnected() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for index in 0..<20 {
                try bench.send(Deposit(account: "a", deed: index % 5 == 4 ? .hold : .pay), id: "\(index)")
            }
            for _ in 0..<4 {
                await bench.gate.waitForArrival()
                bench.broker.goDown()
                bench.broker.comeUp()
                bench.gate.open()
            }
            await bench.settle()

            #expect(try await work.total("a") == 20)
            #expect(try await work.letters().isEmpty)
        }
    }

    @Test("Four partitions each take what is their own")
    func four() async throws {
        let bench = try await Workbench(partitions: 4)
        let accounts = (0..<100).map { "account-\($0)" }
        for account in accounts { try bench.send(Deposit(account: account, amount: 2)) }

        try await bench.whileWorking { work in
            await bench.settle()

            for account in accounts {
                let partition = Bucket(of: account).number % 4
                for number in 0..<4 {
                    let total = try await work.total(account, of: number)
                    #expect(total == (number == partition ? 2 : 0))
                }
            }
        }
    }

    @Test("A partition that is not owned here is not taken")
    func ownedHere() async throws {
        let bench = try await Workbench(partitions: 4, own: "0,2-3")
        for account in ForwardTests.accounts { try bench.send(Deposit(account: account)) }
        let work = try await bench.start()
        #expect(await eventually { [0, 2, 3].allSatisfy { bench.broker.depth(of: bench.queue($0)) == 0 } })

        #expect(bench.broker.waiting(in: bench.queue(1)).count == 1)
        try await work.stop()
    }

    // MARK: Stores

    @Test("A missing store is refused: a host with an empty disk must not begin with amnesia")
    func missing() async throws {
        let bench = try await Workbench()
        let path = bench.address().storePath(in: bench.folder.path)
        try FileManager.default.removeItem(atPath: path)

        await #expect(throws: StoreRefusal.storeMissing(path: path)) { _ = try await bench.open() }

        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "A store of another service, partition or count is refused",
        arguments: [
            StoreIdentity(service: "receipt-validator", partition: 0, partitionCount: 1),
            StoreIdentity(service: "entitlement-resolver", partition: 1, partitionCount: 2),
            StoreIdentity(service: "entitlement-resolver", partition: 0, partitionCount: 4),
        ])
    func another(found: StoreIdentity) async throws {
        let bench = try await Workbench()
        let path = bench.address().storePath(in: bench.folder.path)
        try FileManager.default.removeItem(atPath: path)
        let database = try await Database.create(
            at: path, as: found, schema: [.lane, depositSchema], createdAt: Date(timeIntervalSince1970: 0))
        await database.close()

        await #expect(
            throws: StoreRefusal.madeForAnother(path: path, found: found, expected: bench.address().identity)
        ) { _ = try await bench.open() }
    }

    @Test("A store that is newer than the program is refused")
    func newer() async throws {
        let bench = try await Workbench()
        let path = bench.address().storePath(in: bench.folder.path)
        let later = MigrationSequence(
            name: "deposits", migrations: depositSchema.migrations + [Migration(2, "later", "CREATE TABLE later (x)")])
        let database = try await Database.open(at: path, as: bench.address().identity, schema: [.lane, later])
        await database.close()

        await #expect(throws: StoreRefusal.storeIsNewer(path: path, sequence: "deposits", found: 2, known: 1)) {
            _ = try await bench.open()
        }
    }

    @Test("A store that is at work already is refused to a second owner")
    func held() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            let path = bench.address().storePath(in: bench.folder.path)
            await #expect(throws: StoreRefusal.heldByAnotherProcess(path: path, pid: getpid())) {
                _ = try await bench.open()
            }
        }
    }
}
