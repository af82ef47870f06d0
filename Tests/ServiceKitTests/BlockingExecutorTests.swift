import Foundation
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Blocking executor")
struct BlockingExecutorTests {
    /// Its own executor; takes down who ran it, and whether two jobs were inside at once.
    actor Worker {
        private let executor: BlockingExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private let inside = Atomic<Int>(0)
        private(set) var overlaps = 0
        private(set) var threads: Set<UInt> = []
        private(set) var order: [Int] = []

        init(label: String) { executor = BlockingExecutor(label: label) }

        func work(_ number: Int) {
            if inside.wrappingAdd(1, ordering: .relaxed).oldValue != 0 { overlaps += 1 }
            threads.insert(UInt(pthread_self()))
            order.append(number)
            inside.wrappingSubtract(1, ordering: .relaxed)
        }

        /// Blocks the thread, as a disk does, until `gate` opens.
        func block(on gate: DispatchSemaphore) { gate.wait() }
        func answer() -> Int { 42 }
    }

    @Test("An actor on it runs its jobs one at a time, all on one thread that is not the pool's")
    func serial() async {
        let worker = Worker(label: "serial")

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 { group.addTask { await worker.work(number) } }
        }

        #expect(await worker.overlaps == 0)
        #expect(await worker.threads.count == 1)
        #expect(await worker.order.sorted() == Array(0..<500))
    }

    @Test("Plain work runs in the order in which it was given")
    func order() async {
        let executor = BlockingExecutor(label: "order")
        let seen = Mutex<[Int]>([])

        await withCheckedContinuation { continuation in
            for number in 0..<1000 { executor.run { seen.withLock { $0.append(number) } } }
            executor.run { continuation.resume() }
        }

        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test("Blocked threads of many executors leave the pool to others")
    func pool() async {
        let gate = DispatchSemaphore(value: 0)
        let blocked = (0..<16).map { Worker(label: "blocked\($0)") }
        let tasks = blocked.map { worker in Task { await worker.block(on: gate) } }

        // Were they in the pool, which has a thread a core, nothing would come back here.
        let free = Worker(label: "free")
        #expect(await free.answer() == 42)

        for _ in tasks { gate.signal() }
        for task in tasks { await task.value }
    }

    @Test("The thread carries the label, cut to 15 bytes, and ends with the last reference")
    func end() async throws {
        var worker: Worker? = Worker(label: "tollgate-thread-of-the-test")
        _ = await worker?.answer()
        #expect(try Self.threadNames().contains("tollgate-thread"))

        worker = nil

        #expect(try await eventually(within: .seconds(10)) { try !Self.threadNames().contains("tollgate-thread") })
    }

    @Test("What was given before the last reference went is still done")
    func drained() async {
        await confirmation(expectedCount: 100) { done in
            await withCheckedContinuation { continuation in
                let executor = BlockingExecutor(label: "drained")
                for _ in 0..<100 { executor.run { done() } }
                executor.run { continuation.resume() }
            }
        }
    }

    @Test("Executors may go while their last job is just ending")
    func churn() async {
        for _ in 0..<300 {
            let value = await Task { await Worker(label: "churn").answer() }.value
            #expect(value == 42)
        }
        #expect(await (try? eventually { try !Self.threadNames().contains("churn") }) == true)
    }

    private static func threadNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { id in
            // A thread may end between the two calls.
            try? String(contentsOfFile: "/proc/self/task/\(id)/comm", encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }
    }
}
