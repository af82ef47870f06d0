import AMQP
import Messages
import Messaging
import TestSupport
import Testing

@Suite("When the way to RabbitMQ is cut without a word")
struct FrozenPeerTests {
    let service = OneService()

    @Test("Both ends notice within the heartbeats; what was sent is unknown, and all recovers")
    func frozen() async throws {
        let (settings, proxy) = try await frozenSettings()
        try await AMQPBroker.running(settings) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            let subscription = try await session.subscribe(to: service.queue, prefetch: 1)

            proxy.fallSilent()
            let began = ContinuousClock.now
            let outcome = await broker.publisher.publish(service.command(), deadline: .now + .seconds(60))
            await #expect(throws: BrokerError.self) { _ = try await subscription.next(upTo: 1, bytes: 1) }
            #expect(outcome == .unknown)
            #expect(.now - began < .seconds(15))

            proxy.speakAgain()
            let recovered = await eventually { await broker.publisher.publish(service.command()) == .confirmed }
            #expect(recovered)
        }
    }

    @Test("A question that is not answered has its deadline, and so has a connection that is not answered")
    func silence() async throws {
        let (settings, proxy) = try await frozenSettings()
        try await AMQPBroker.running(settings) { broker in
            let session = try await broker.openSession(named: "test")

            proxy.fallSilent()
            let began = ContinuousClock.now
            await #expect(throws: BrokerError.self) { try await session.declare(service.topology) }
            await #expect(throws: BrokerError.self) { _ = try await broker.openSession(named: "test") }

            #expect(.now - began < .seconds(30))
            proxy.speakAgain()
        }
    }

    @Test("Idle connections live on")
    func idle() async throws {
        let (settings, proxy) = try await frozenSettings()
        try await AMQPBroker.running(settings) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            let subscription = try await session.subscribe(to: service.queue, prefetch: 1)

            // Several heartbeats long: it is the passing of time that is tested.
            try await Task.sleep(for: .seconds(5))
            #expect(await broker.publisher.publish(service.command([7])) == .confirmed)

            let delivery = try await subscription.next(upTo: 1, bytes: 1)
            #expect(delivery?.first?.envelope.body == [7])
            await session.close()
        }
        withExtendedLifetime(proxy) {}
    }

    private func frozenSettings() async throws -> (BrokerSettings, RoughNetwork) {
        let node = try await BrokerProcess.shared
        var settings = try await node.virtualHost()
        let proxy = try RoughNetwork(to: Int(settings.address.port), seed: 1)
        settings.address.port = UInt16(proxy.port)
        settings.heartbeat = .seconds(1)
        return (settings, proxy)
    }
}
