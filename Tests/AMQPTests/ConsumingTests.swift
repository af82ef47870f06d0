import AMQP
import Messages
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite("Consuming from RabbitMQ")
struct ConsumingTests {
    let service = OneService()

    @Test("When the broker ends a consumer, what has arrived comes out, then nothing more; the session lives on")
    func cancelledByBroker() async throws {
        let node = try await BrokerProcess.shared
        let own = try await node.virtualHost()
        try await AMQPBroker.running(own) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            _ = await broker.publisher.publish([service.command(), service.command()], deadline: .now + .seconds(60))
            let subscription = try await session.subscribe(to: service.queue, prefetch: 10)
            let first = try await subscription.next(upTo: 1, bytes: 1)

            try await node.control("delete_queue", "--vhost", own.address.virtualHost, service.queue)
            var rest = 0
            while let more = try await subscription.next(upTo: 10, bytes: 1 << 20) { rest += more.count }

            #expect((first?.count ?? 0) + rest == 2)
            await subscription.settle(first ?? [], .acknowledge)
            await subscription.cancel()
            try await session.declare(service.topology)
            _ = try await session.subscribe(to: service.queue, prefetch: 10)
            await session.close()
        }
    }

    @Test("When the connection is cut the subscription says so, and another session gets what was unsettled")
    func cut() async throws {
        let node = try await BrokerProcess.shared
        let own = try await node.virtualHost()
        try await AMQPBroker.running(own) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            try await session.declareExclusive(queue: "mine", bindings: [])
            _ = await broker.publisher.publish(service.command())
            let subscription = try await session.subscribe(to: service.queue, prefetch: 10)
            let delivery = try #require(try await subscription.next(upTo: 10, bytes: 1))

            try await node.cutConnections(in: own)
            await #expect(throws: BrokerError.self) { _ = try await subscription.next(upTo: 1, bytes: 1) }
            await subscription.settle(delivery, .acknowledge)
            await #expect(throws: BrokerError.self) { try await session.declare(service.topology) }
            await session.close()

            let next = try await broker.openSession(named: "test")
            try await next.declareExclusive(queue: "mine", bindings: [])
            let again = try await next.take(1, from: service.queue)
            #expect(again[0].deliveryCount == 1)
            #expect(again[0].envelope == again[0].envelope)
            await next.close()
        }
    }

    @Test("A whole installation is declared at once, and again, in seconds")
    func installation() async throws {
        let node = try await BrokerProcess.shared
        try await AMQPBroker.running(try await node.virtualHost()) { broker in
            let session = try await broker.openSession(named: "test")
            let layout = Topology.Layout(
                partitions: Dictionary(
                    uniqueKeysWithValues: ServiceName.all.map { ($0, PartitionCount(rawValue: 4) ?? .one) }))

            try await session.declare(Topology(layout))
            try await session.declare(Topology(layout))

            await session.close()
        }
    }

    @Test("A queue with another argument is named with the argument, both values and what to do")
    func differs() async throws {
        let node = try await BrokerProcess.shared
        try await AMQPBroker.running(try await node.virtualHost()) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            let other = Topology(
                Topology.Layout(retryDelays: [RetryDelay(text: "50ms", duration: .milliseconds(51))]),
                services: [service.name])

            let error = await #expect(throws: BrokerError.self) { try await session.declare(other) }

            guard case .differs(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            for part in ["one.retry.50ms", "x-message-ttl", "'50'", "'51'"] { #expect(text.contains(part), "\(text)") }
            await session.close()
        }
    }

    @Test("Sessions that are let go leave neither a connection nor a thread")
    func letGo() async throws {
        let node = try await BrokerProcess.shared
        let own = try await node.virtualHost()
        try await AMQPBroker.running(own) { broker in
            func open() async throws { _ = try await broker.openSession(named: "let-go-session") }

            for _ in 0..<5 { try await open() }

            #expect(await eventually { threads(named: "let-go-session") == 0 })
            try await broker.openSession(named: "let-go-session").close()
            #expect(await eventually { threads(named: "let-go-session") == 0 })
        }
    }

    @Test("A login may do what its permissions say, and no more")
    func permissions() async throws {
        let node = try await BrokerProcess.shared
        let own = try await node.virtualHost()
        let load = try await node.user(.load, in: own)
        try await AMQPBroker.running(own) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            await session.close()
        }
        try await AMQPBroker.running(load) { broker in
            let command = service.command()
            let event = Publication(command.envelope, to: .event("test.v1", Bucket.all[0]), isMandatory: false)

            let outcomes = await broker.publisher.publish([event, command], deadline: .now + .seconds(60))
            let session = try await broker.openSession(named: "test")
            let error = await #expect(throws: BrokerError.self) {
                _ = try await session.subscribe(to: service.queue, prefetch: 1)
            }

            #expect(outcomes == [.refused, .confirmed])
            guard case .notAllowed = error else { return #expect(Bool(false), "\(String(describing: error))") }
            await session.close()
        }
    }

    @Test("Who is not let in is told so, and tried again")
    func badLogin() async throws {
        let node = try await BrokerProcess.shared
        var wrong = try await node.virtualHost()
        wrong.address.password = Secret("wrong")
        let lines = LogLines()
        let broker = AMQPBroker(wrong, name: "test", logger: lines.logger)
        let running = Task { try await broker.run() }

        let error = await #expect(throws: BrokerError.self) { _ = try await broker.openSession(named: "test") }
        guard case .notAllowed = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(await broker.publisher.publish(service.command()) == .notSent(.disconnected))
        #expect(await eventually { lines.all.filter { $0.contains("does not let us in") }.count >= 2 })
        #expect(!lines.all.joined().contains("wrong"))
        running.cancel()
        try await running.value
    }
}
