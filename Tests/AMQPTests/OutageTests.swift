import AMQP
import Messages
import Messaging
import TestSupport
import Testing

/// What hurts a whole node, on one of their own; one after the other.
@Suite("When RabbitMQ is in trouble", .serialized)
struct OutageTests {
    private static let node = Task { try await BrokerProcess.start() }

    let service = OneService()

    @Test("While it is short of memory publishers are told at once, consumers go on, and all recovers")
    func memoryAlarm() async throws {
        let node = try await Self.node.value
        try await AMQPBroker.running(try await settings(of: node)) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            let waiting = await broker.publisher.publish(
                [service.command(), service.command()], deadline: .now + .seconds(60))
            #expect(waiting == [.confirmed, .confirmed])

            try await node.setMemoryAlarm(true)
            // The broker tells a publisher only once it publishes: that message is on its way, and nobody knows.
            let isTold = await eventually {
                let outcome = await broker.publisher.publish(service.command(), deadline: .now + .milliseconds(300))
                return outcome == .unknown || outcome == .notSent(.blocked)
            }
            #expect(isTold)
            let began = ContinuousClock.now
            let second = await broker.publisher.publish(service.command(), deadline: .now + .seconds(60))
            #expect(second == .notSent(.blocked))
            #expect(.now - began < .seconds(1))
            let taken = try await session.take(2, from: service.queue)
            #expect(taken.count == 2)

            try await node.setMemoryAlarm(false)
            let recovered = await eventually { await broker.publisher.publish(service.command()) == .confirmed }
            #expect(recovered)
            await session.close()
        }
    }

    @Test("A send that hangs in the socket holds nobody past his deadline, and is cut")
    func hangingSend() async throws {
        let node = try await Self.node.value
        try await AMQPBroker.running(try await settings(of: node)) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            let large = service.command([UInt8](repeating: 0, count: 60_000_000))

            try await node.setMemoryAlarm(true)
            let began = ContinuousClock.now
            let outcomes = await withTaskGroup(of: PublishOutcome.self) { group in
                for publication in [large, service.command(), service.command()] {
                    group.addTask {
                        await broker.publisher.publish(publication, deadline: .now + .milliseconds(500))
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(.now - began < .seconds(5))
            #expect(!outcomes.contains(.confirmed))
            // Two heartbeats later the connection is cut; the next one knows that it is blocked.
            let isBlocked = await eventually {
                await broker.publisher.publish(service.command(), deadline: .now + .milliseconds(200))
                    == .notSent(.blocked)
            }
            #expect(isBlocked)

            try await node.setMemoryAlarm(false)
            let recovered = await eventually { await broker.publisher.publish(service.command()) == .confirmed }
            #expect(recovered)
            await session.close()
        }
    }

    @Test("It can be stopped while a send hangs")
    func stopWhileHanging() async throws {
        let node = try await Self.node.value
        let began = try await AMQPBroker.running(try await settings(of: node, heartbeat: .seconds(60))) { broker in
            let large = service.command([UInt8](repeating: 0, count: 60_000_000))
            try await node.setMemoryAlarm(true)
            let outcome = await broker.publisher.publish(large, deadline: .now + .milliseconds(300))
            #expect(outcome == .unknown)
            return ContinuousClock.now
        }

        #expect(.now - began < .seconds(10))
        try await node.setMemoryAlarm(false)
    }

    @Test("When it is killed and comes back, publishers and what was confirmed are there again")
    func killed() async throws {
        let node = try await Self.node.value
        try await AMQPBroker.running(try await settings(of: node)) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            #expect(await broker.publisher.publish(service.command([1])) == .confirmed)
            let subscription = try await session.subscribe(to: "\(service.queue)", prefetch: 1)
            _ = try await subscription.next(upTo: 1, bytes: 1)

            try await node.kill()
            await #expect(throws: BrokerError.self) { _ = try await subscription.next(upTo: 1, bytes: 1) }
            await #expect(throws: BrokerError.self) { _ = try await broker.openSession(named: "test") }
            let began = ContinuousClock.now
            let outcome = await broker.publisher.publish(service.command(), deadline: .now + .seconds(60))
            #expect(outcome == .notSent(.disconnected))
            #expect(.now - began < .seconds(1))

            try await node.startAgain()
            let recovered = await eventually(within: .seconds(60)) {
                await broker.publisher.publish(service.command([2])) == .confirmed
            }
            #expect(recovered)
            let next = try await broker.openSession(named: "test")
            let taken = try await next.take(2, from: service.queue)
            #expect(taken.map(\.envelope.body) == [[1], [2]])
            await next.close()
        }
    }

    @Test("Killed as soon as its queues are declared, it still has them all, and what it confirmed")
    func killedWhenNew() async throws {
        let node = try await Self.node.value
        try await AMQPBroker.running(try await settings(of: node)) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            let queues = service.topology.queues.filter { $0.arguments["x-message-ttl"] == nil }.map(\.name)
            for queue in queues {
                let message = Publication(
                    Envelope(kind: "test.v1", id: MessageID(at: .now), body: []), to: .reply(queue), isMandatory: true)
                #expect(await broker.publisher.publish(message) == .confirmed)
            }
            try await node.kill()
            try await node.startAgain()

            let next = try await broker.openSession(named: "test")
            for queue in queues {
                let taken = try await next.take(1, from: queue)
                #expect(taken.count == 1)
            }
            await next.close()
        }
    }

    @Test("A program that starts before it waits for it")
    func startsFirst() async throws {
        let node = try await Self.node.value
        let settings = try await settings(of: node)
        try await node.kill()
        let broker = AMQPBroker(settings, name: "early", logger: LogLines().logger)
        let running = Task { try await broker.run() }

        let early = await broker.publisher.publish(service.command(), deadline: .now + .seconds(60))
        #expect(early == .notSent(.disconnected))
        try await node.startAgain()
        let connected = await eventually { broker.isConnected }

        #expect(connected)
        running.cancel()
        try await running.value
    }

    private func settings(of node: BrokerProcess, heartbeat: Duration = .seconds(1)) async throws -> BrokerSettings {
        var settings = try await node.virtualHost()
        settings.heartbeat = heartbeat
        return settings
    }
}
