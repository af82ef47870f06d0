import ServiceKit
import Synchronization
import Testing

@Suite("Service group")
struct ServiceGroupTests {
    /// What happened, in order.
    final class Diary: Sendable {
        private let entries = Mutex<[String]>([])
        private let (stream, arrived) = AsyncStream.makeStream(of: String.self)
        var all: [String] { entries.withLock { $0 } }
        func note(_ entry: String) {
            entries.withLock { $0.append(entry) }
            arrived.yield(entry)
        }
        func wait(for entry: String) async {
            for await next in stream where next == entry { return }
        }
    }
    struct Broken: Error, Equatable { let name: String }

    /// Works until it is cancelled, or does what `ending` says.
    struct Part: Service {
        let name: String
        let diary: Diary
        var failsWhenStopped = false
        var ending: (@Sendable () async throws -> Void)?

        func run() async throws {
            diary.note("start \(name)")
            if let ending { return try await ending() }
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            await withTaskCancellationHandler {
                for await _ in ends {}
            } onCancel: {
                end.finish()
            }
            // Those that came later have to be gone by now.
            await Task.yield()
            diary.note("stop \(name)")
            if failsWhenStopped { throw Broken(name: name) }
        }
    }

    let diary = Diary()
    let logger = Logger(service: "tester", least: .error) { _ in }

    private func group(_ parts: Part...) -> ServiceGroup {
        ServiceGroup(parts.map { ServiceGroup.Member($0.name, $0) }, logger: logger)
    }

    @Test("Parts start in order and stop in reverse, each awaited before the next")
    func order() async throws {
        let parts = ["a", "b", "c", "d", "e"].map { Part(name: $0, diary: diary) }
        let group = ServiceGroup(parts.map { ServiceGroup.Member($0.name, $0) }, logger: logger)

        let task = Task { try await group.run() }
        await diary.wait(for: "start e")
        task.cancel()
        try await task.value

        #expect(
            diary.all == parts.map { "start \($0.name)" } + parts.reversed().map { "stop \($0.name)" })
    }

    @Test("The error of one stops the others and comes out")
    func failure() async {
        let group = group(
            Part(name: "a", diary: diary), Part(name: "b", diary: diary) { throw Broken(name: "b") },
            Part(name: "c", diary: diary))

        await #expect(throws: Broken(name: "b")) { try await group.run() }

        #expect(diary.all == ["start a", "start b", "start c", "stop c", "stop a"])
    }

    @Test("A part that ends by itself stops the others")
    func ending() async throws {
        let group = group(Part(name: "a", diary: diary), Part(name: "b", diary: diary) {})

        try await group.run()

        #expect(diary.all == ["start a", "start b", "stop a"])
    }

    @Test("An error while stopping comes out, after the others have stopped too")
    func failureWhileStopping() async {
        let group = group(Part(name: "a", diary: diary), Part(name: "b", diary: diary, failsWhenStopped: true))

        let task = Task { try await group.run() }
        await diary.wait(for: "start b")
        task.cancel()

        await #expect(throws: Broken(name: "b")) { try await task.value }
        #expect(diary.all.last == "stop a")
    }

    @Test("The first error comes out, not one that follows from stopping")
    func firstFailure() async {
        let group = group(
            Part(name: "a", diary: diary, failsWhenStopped: true),
            Part(name: "b", diary: diary) { throw Broken(name: "b") })

        await #expect(throws: Broken(name: "b")) { try await group.run() }
    }

    @Test("A group that was cancelled before it started stops at once and in order")
    func cancelledBefore() async throws {
        let group = group(Part(name: "a", diary: diary), Part(name: "b", diary: diary))
        let (gate, open) = AsyncStream.makeStream(of: Void.self)

        let task = Task {
            for await _ in gate {}
            try await group.run()
        }
        task.cancel()
        open.finish()
        try await task.value

        #expect(diary.all.filter { $0.hasPrefix("stop") } == ["stop b", "stop a"])
    }

    @Test("A part that answers its cancellation by throwing it has stopped in order")
    func cancellationError() async throws {
        let group = group(
            Part(name: "a", diary: diary),
            Part(name: "b", diary: diary) { try await Task.sleep(for: .seconds(3600)) })

        let task = Task { try await group.run() }
        await diary.wait(for: "start b")
        task.cancel()

        try await task.value
        #expect(diary.all.last == "stop a")
    }
}
