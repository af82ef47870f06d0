import Lane
import Messages
import Messaging
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("What a publisher numbers and tells", .timeLimit(.minutes(1)))
struct NumberedPublisherTests {
    static let route = Route.command(Workbench.service, Bucket.all[5])
    static let other = Route.event("deposited.v1", Bucket.all[6])

    /// A publisher that answers as it is told and takes everything down.
    final class Oracle: Publisher {
        private let sent = Mutex<[Publication]>([])
        private let outcome: @Sendable (Publication) -> PublishOutcome
        private let (stream, arrived) = AsyncStream.makeStream(of: PublisherCheckpoint.self)

        init(_ outcome: @escaping @Sendable (Publication) -> PublishOutcome = { _ in .confirmed }) {
            self.outcome = outcome
        }
        var all: [Publication] { sent.withLock { $0 } }
        func publish(_ publications: [Publication], deadline: ContinuousClock.Instant) async -> [PublishOutcome] {
            sent.withLock { $0 += publications }
            for publication in publications where publication.envelope.kind == PublisherCheckpoint.kind {
                guard let body = try? MessageJSON.decode(PublisherCheckpoint.self, from: publication.envelope.body)
                else {
                    continue
                }
                arrived.yield(body)
            }
            return publications.map(outcome)
        }
        func send(_ publications: [Publication]) async { sent.withLock { $0 += publications } }
        /// The next checkpoints, until `isLast`.
        func checkpoints(until isLast: (PublisherCheckpoint) -> Bool) async -> [PublisherCheckpoint] {
            var all: [PublisherCheckpoint] = []
            for await checkpoint in stream {
                all.append(checkpoint)
                if isLast(checkpoint) { break }
            }
            return all
        }
    }

    private func publication(_ id: String, to route: Route = route) -> Publication {
        Publication(Envelope(kind: "x.v1", id: MessageID(rawValue: id), body: []), to: route, isMandatory: false)
    }

    @Test("Commands and events are numbered per route from 1, without gaps; nothing else is")
    func numbering() async {
        let oracle = Oracle()
        let publisher = NumberedPublisher(service: Workbench.service, over: oracle)

        for route in [Self.route, Self.route, Self.other, Self.route] {
            _ = await publisher.publish(publication("x", to: route), deadline: .now + .seconds(1))
        }
        for route in [Route.query(Workbench.service, Bucket.all[0]), .requeue(Workbench.service, partition: 0)] {
            _ = await publisher.publish(publication("x", to: route), deadline: .now + .seconds(1))
        }
        await publisher.send([publication("x", to: .reply("replies.x"))])

        #expect(oracle.all.map(\.envelope.sequence?.number) == [1, 2, 1, 3, nil, nil, nil])
        #expect(Set(oracle.all.compactMap(\.envelope.sequence?.publisher)) == [publisher.id])
        #expect(publisher.id.rawValue.hasPrefix("entitlement-resolver:"))
        #expect(NumberedPublisher(service: Workbench.service, over: oracle).id != publisher.id)
    }

    @Test("Numbers of many tasks have no gap and no double")
    func concurrentNumbering() async {
        let oracle = Oracle()
        let publisher = NumberedPublisher(service: Workbench.service, over: oracle)

        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<50 {
                        _ = await publisher.publish(
                            [publication("\(task)-\(index)"), publication("\(task)+\(index)")],
                            deadline: .now + .seconds(9))
                    }
                }
            }
        }

        #expect(oracle.all.compactMap(\.envelope.sequence?.number).sorted() == Array(1...800))
    }

    @Test("A checkpoint tells how far numbers are confirmed, and names those that are not, once")
    func checkpoint() async throws {
        let outcomes: [String: PublishOutcome] = [
            "2": .returned, "4": .unknown, "5": .notSent(.blocked), "7": .refused,
        ]
        let oracle = Oracle { outcomes[$0.envelope.id?.rawValue ?? ""] ?? .confirmed }
        let publisher = NumberedPublisher(service: Workbench.service, over: oracle, interval: .milliseconds(1))
        _ = await publisher.publish((1...8).map { publication("\($0)") }, deadline: .now + .seconds(1))

        let running = Task { try await publisher.run() }
        let first = await oracle.checkpoints { $0.through == 8 }
        _ = await publisher.publish((9...10).map { publication("\($0)") }, deadline: .now + .seconds(1))
        let second = await oracle.checkpoints { $0.through == 10 }
        running.cancel()
        try await running.value
        let last = await oracle.checkpoints { $0.isFinal }

        #expect(first.last?.unconfirmed == NumberSet([2...2, 4...5, 7...7]))
        #expect(first.last?.publisher == publisher.id && first.last?.routingKey == Self.route.routingKey)
        #expect(first.last?.isFinal == false)
        // Only what has not been told yet; the partition keeps what it was told.
        #expect(second.map(\.unconfirmed) == [NumberSet()])
        #expect(last.map(\.isFinal) == [true] && last.map(\.through) == [10])
        let envelope = oracle.all.last { $0.envelope.kind == PublisherCheckpoint.kind }
        #expect(envelope?.route == Self.route && envelope?.isMandatory == true && envelope?.envelope.sequence == nil)
    }

    @Test("Nothing is told while nothing was sent, and each route is told for itself")
    func quiet() async throws {
        let oracle = Oracle()
        let publisher = NumberedPublisher(service: Workbench.service, over: oracle, interval: .milliseconds(1))
        let running = Task { try await publisher.run() }
        _ = await publisher.publish(publication("1", to: Self.other), deadline: .now + .seconds(1))
        _ = await oracle.checkpoints { $0.routingKey == Self.other.routingKey }
        _ = await publisher.publish(publication("2"), deadline: .now + .seconds(1))
        let told = await oracle.checkpoints { $0.routingKey == Self.route.routingKey }
        running.cancel()
        try await running.value

        // The other route has not been told of again.
        #expect(told.map(\.routingKey) == [Self.route.routingKey])
        #expect(
            oracle.all.first { $0.route == Self.other && $0.envelope.kind == PublisherCheckpoint.kind }?.isMandatory
                == false)
    }

    @Test("A checkpoint that was not confirmed is told again")
    func untold() async throws {
        let tries = Atomic<Int>(0)
        let oracle = Oracle { publication in
            guard publication.envelope.kind == PublisherCheckpoint.kind else { return .unknown }
            return tries.add(1, ordering: .relaxed).newValue < 3 ? .unknown : .confirmed
        }
        let publisher = NumberedPublisher(service: Workbench.service, over: oracle, interval: .milliseconds(1))
        _ = await publisher.publish(publication("1"), deadline: .now + .seconds(1))
        let running = Task { try await publisher.run() }
        var count = 0
        let told = await oracle.checkpoints { _ in
            count += 1
            return count == 3
        }
        running.cancel()
        try await running.value

        #expect(told.allSatisfy { $0.unconfirmed == NumberSet([1...1]) && $0.through == 1 })
    }

    @Test("A number on its way is not told of until its fate is known")
    func inFlight() async throws {
        let oracle = Oracle()
        let latch = Latch()
        let journal = Journal(over: oracle)
        journal.before { publications in
            if publications.contains(where: { $0.envelope.id?.rawValue == "2" }) { await latch.wait() }
        }
        let publisher = NumberedPublisher(service: Workbench.service, over: journal, interval: .milliseconds(1))
        _ = await publisher.publish(publication("1"), deadline: .now + .seconds(9))
        let slow = Task { await publisher.publish(publication("2"), deadline: .now + .seconds(9)) }
        await latch.waitForArrival()
        _ = await publisher.publish(publication("3"), deadline: .now + .seconds(9))
        let running = Task { try await publisher.run() }
        let before = await oracle.checkpoints { _ in true }
        latch.open()
        _ = await slow.value
        let after = await oracle.checkpoints { $0.through == 3 }
        running.cancel()
        try await running.value

        #expect(before.map(\.through) == [1])
        #expect(after.last?.unconfirmed.isEmpty == true)
    }
}
