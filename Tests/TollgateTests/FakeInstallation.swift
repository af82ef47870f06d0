import Foundation
import Messages
import Messaging
import Synchronization
import TestSupport
import Tollgate

/// Services that answer what a test says, at a broker in memory, and the tool that talks to them.
final class FakeInstallation: Sendable {
    /// What one partition answers to a message; nil: nothing.
    typealias Answers = @Sendable (MessageKind, [UInt8]) -> (any Encodable & Sendable)?

    let broker: InMemoryBroker
    private let heard = Mutex<[Envelope]>([])
    private let writtenText = Mutex("")

    init(topology: Topology? = Topology(Topology.Layout())) { broker = InMemoryBroker(topology: topology) }

    /// Every message that a service has got.
    var messages: [Envelope] { heard.withLock { $0 } }

    /// What the tool wrote before it ended.
    var written: String { writtenText.withLock { $0 } }

    /// Runs the tool.
    func tool(_ words: String..., environment: [String: String] = [:]) async -> Tool.Ending {
        await tool(words, environment: environment)
    }

    /// Runs the tool.
    func tool(_ words: [String], environment: [String: String] = [:]) async -> Tool.Ending {
        let environment = [
            "TOLLGATE_BROKER": "amqp://tollgate:secret@localhost", "TOLLGATE_ORGANISATION": "acme",
        ].merging(environment) { $1 }
        let surroundings = Surroundings(
            environment: environment, connect: { [broker] _ in (broker, nil) },
            write: { [weak self] text in self?.writtenText.withLock { $0 += text } })
        return await Tool(in: surroundings).run(words)
    }

    /// Answers for a partition as long as `body` runs: its queries, and what is in its queue.
    func answering<Value: Sendable>(
        _ service: ServiceName, _ partition: Int = 0, of count: Int = 1, by answers: @escaping Answers,
        while body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let session = try await broker.openSession(named: "\(service)")
        let (queue, bindings) = Topology.queries(service, partition, of: PartitionCount(rawValue: count) ?? .one)
        try await session.declareExclusive(queue: queue, bindings: bindings)
        let subscriptions = [
            try await session.subscribe(to: queue, prefetch: 10),
            try await session.subscribe(to: "\(service).\(partition)", prefetch: 10),
        ]
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for subscription in subscriptions {
                group.addTask {
                    while let deliveries = try await subscription.next(upTo: 10, bytes: 1 << 20) {
                        await subscription.settle(deliveries, .acknowledge)
                        for delivery in deliveries { try await self.answer(delivery.envelope, as: service, answers) }
                    }
                }
            }
            defer { group.cancelAll() }
            let value = try await body()
            await session.close()
            return value
        }
    }

    /// Answers for services to which nothing ever came.
    func answeringIdly<Value: Sendable>(
        _ services: [ServiceName], while body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await answering(
            services[...], by: { service in { _, _ in Answer.applied(Self.report(service)) } }, while: body)
    }

    /// Answers for several services.
    func answering<Value: Sendable>(
        _ services: ArraySlice<ServiceName>, by answers: @escaping @Sendable (ServiceName) -> Answers,
        while body: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let service = services.first else { return try await body() }
        return try await answering(service, by: answers(service)) {
            try await answering(services.dropFirst(), by: answers, while: body)
        }
    }

    private func answer(_ question: Envelope, as service: ServiceName, _ answers: Answers) async throws {
        heard.withLock { $0.append(question) }
        guard let answer = answers(question.kind ?? "", question.body), let queue = question.properties.replyTo else {
            return
        }
        var envelope = Envelope(
            kind: "answer.v1", id: MessageID(at: .now), body: Array(try JSONEncoder().encode(answer)))
        envelope.properties.correlationID = question.properties.correlationID
        let publication = Publication(envelope, to: .reply(queue), isMandatory: false)
        await broker.client(as: BrokerUser(of: service)).publisher.send([publication])
    }
}

extension FakeInstallation {
    /// A report without anything in it.
    static func report(_ service: ServiceName, _ partition: Int = 0, of count: Int = 1, applied: Int = 0)
        -> PartitionReport
    {
        PartitionReport(
            service: service, partition: partition, partitions: count, applied: applied, refused: 0, repeated: 0,
            forwarded: 0, retrying: 0, overdue: 0, dead: [], unpublished: 0, numbers: [])
    }
}
