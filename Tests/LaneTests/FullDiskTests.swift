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
