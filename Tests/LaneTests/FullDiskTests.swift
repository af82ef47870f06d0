import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite(
    "A full disk under a lane", .timeLimit(.minutes(1)), .enabled(if: getuid() == 0, "only root can mount a small disk")
)
struct FullDiskTests {
    /// A workbench whose store is on a small disk of its own.
    private func onSmallDisk(
        _ adjust: (inout PartitionSettings) -> Void = { _ in }, _ body: (Workbench, SmallDisk) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(UUID().uuidString)")
        let disk = try await SmallDisk.mount(at: folder, megabytes: 8)
        do {
            let bench = try await Workbench(storesIn: folder, adjust)
            try await Workbench.createStore(bench.address(), in: folder)
            try await body(bench, disk)
        } catch {
            await disk.unmount()
            throw error
        }
        await disk.unmount()
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: folder.appendingPathExtension("image"))
    }

    @Test("Operators are told that the store takes nothing; nothing is half done, and all of it once there is room")
    func operators() async throws {
        try await onSmallDisk { bench, disk in
            let work = try await bench.start()
            for index in 0..<200 {
                try bench.send(Deposit(account: "a", amount: index, deed: .fault), id: "m\(index)")
            }
            await bench.settle()
            let letters = try await bench.page().map { letter in
                var copy = letter
                copy.body = Octets([UInt8](repeating: 0x20, count: 10_000))
                return copy
            }
            try await bench.freeze("run")
            try disk.fill()
            let discard = DeadArchive(
                partition: 0, run: "run", isRestoring: false, count: 1000, by: "ann",
                why: String(repeating: "w", count: 4000))
            let take = DeadImport(partition: 0, run: "import", letters: letters, by: "ann")
            #expect(try await bench.ask(discard).failed?.reason == "store_unavailable")
            #expect(try await bench.ask(take).failed?.reason == "store_unavailable")
            #expect(try await bench.page().count == 200)
            #expect(try await bench.get(AuditPageGet(partition: 0, limit: 10)).entries.isEmpty)
            try disk.makeSpace()
            #expect(try await bench.get(discard).moved == 200)
            #expect(try await bench.get(take).added == 200)
            try await work.stop()
            await work.close()
        }
    }

    @Test("The lane pauses with what it has in hand, says so, resumes by itself, and charges nothing to a message")
    func pause() async throws {
        try await onSmallDisk { bench, disk in
            let work = try await bench.start()
            try bench.send(Deposit(account: "a", amount: 10, deed: .announce))
            await bench.settle()
            #expect(await eventually { (try? await work.outboxCount()) == 0 })
            try disk.fill()
            for index in 0..<4 { try bench.send(Deposit(account: "b", amount: 200, deed: .fill), id: "\(index)") }

            #expect(await eventually(every: .milliseconds(5)) { work.complaints.first?.contains("paused") == true })
            #expect(bench.broker.depth(of: bench.queue()) == 4)
            // Readers go on.
            #expect(try await bench.ask(BalanceGet(account: "a")).applied?.total == 10)
            // A request is not kept waiting.
            #expect(try await bench.ask(Withdraw(account: "a", amount: 1)).failed != nil)
            try disk.makeSpace()

            await bench.settle()
            #expect(work.complaints.isEmpty)
            #expect(try await work.total("b") == 800)
            #expect(try await work.contexts().suffix(4).map(\.id) == ["0", "1", "2", "3"])
            let report = try await bench.report()
            #expect(report.applied == 5 && report.repeated == 0 && report.retrying == 0 && report.dead.isEmpty)
            #expect(try await bench.ask(Withdraw(account: "a", amount: 1)).applied?.total == 9)
            try await work.stop()
            await work.close()
        }
    }

    @Test("What cannot be written for too long goes back to the broker, and comes again when the disk has room")
    func giveBack() async throws {
        try await onSmallDisk({ $0.limits.pauseLimit = .milliseconds(1) }) { bench, disk in
            let work = try await bench.start()
            try bench.send(Deposit(account: "b", amount: 200, deed: .fill), id: "first")
            await bench.settle()
            try disk.fill()
            for index in 0..<3 { try bench.send(Deposit(account: "b", amount: 400, deed: .fill), id: "\(index)") }
            // Given back: they wait in the queue, delivered to nobody, while the partition finds that it cannot write.
            #expect(await eventually(every: .milliseconds(1)) { !work.complaints.isEmpty })
            try disk.makeSpace()

            await bench.settle()
            #expect(try await work.total("b") == 1400)
            #expect(try await work.letters().isEmpty)
            #expect(try await work.number("SELECT count(*) FROM suspects") == 0)
            try await work.stop()
            await work.close()
        }
    }

    @Test("A message that the disk has no room for, though it has for less, is not taken for one that ends the process")
    func nearlyFull() async throws {
        try await onSmallDisk({ $0.limits.pauseLimit = .milliseconds(1) }) { bench, disk in
            let work = try await bench.start()
            try bench.send(Deposit(account: "b", amount: 1), id: "first")
            await bench.settle()
            try disk.fill()
            let ballast = try FileHandle(forWritingTo: disk.folder.appendingPathComponent("ballast"))
            try ballast.truncate(atOffset: try ballast.seekToEnd() - (400 << 10))
            try ballast.close()
            try bench.send(Deposit(account: "b", amount: 2000, deed: .fill), id: "large")

            // Each round begins with a probe, which the disk has room for.
            for _ in 0..<7 {
                bench.clock.advance(by: .seconds(1))
                let now = bench.clock.now.millisecondsSince1970
                #expect(await eventually { (try? await work.number("SELECT written_at FROM probes")) == Int(now) })
            }
            try disk.makeSpace()

            await bench.settle()
            #expect(try await work.letters().isEmpty)
            #expect(try await work.total("b") == 2001)
            #expect(try await work.number("SELECT count(*) FROM suspects") == 0)
            try await work.stop()
            await work.close()
        }
    }

    @Test("A stop on a full disk ends, and nothing is lost")
    func stop() async throws {
        try await onSmallDisk { bench, disk in
            var work = try await bench.start()
            try bench.send(Deposit(account: "b", amount: 200, deed: .fill), id: "first")
            await bench.settle()
            try disk.fill()
            for index in 0..<4 { try bench.send(Deposit(account: "b", amount: 400, deed: .fill), id: "\(index)") }
            #expect(await eventually(every: .milliseconds(5)) { !work.complaints.isEmpty })

            try await work.stop()
            await work.close()
            #expect(bench.broker.waiting(in: bench.queue()).count == 4)
            try disk.makeSpace()

            work = try await bench.start()
            await bench.settle()
            #expect(try await work.total("b") == 1800)
            try await work.stop()
            await work.close()
        }
    }
}
