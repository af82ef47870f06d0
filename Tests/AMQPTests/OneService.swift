import AMQP
import Messages
import Messaging
import TestSupport

/// A service with one partition, for tests that need a queue.
struct OneService: Sendable {
    let name: ServiceName

    init(_ name: String = "one") { self.name = ServiceName(rawValue: name) }

    var topology: Topology {
        Topology(
            Topology.Layout(retryDelays: [RetryDelay(text: "50ms", duration: .milliseconds(50))]), services: [name])
    }
    var queue: String { QueueDeclaration.partition(name, 0).name }

    func command(_ body: [UInt8] = [], headers: HeaderTable = HeaderTable()) -> Publication {
        var envelope = Envelope(kind: "test.v1", id: MessageID(at: .now), body: body)
        envelope.properties.headers = headers
        return Publication(envelope, to: .command(name, Bucket.all[0]), isMandatory: true)
    }
}

extension BrokerSession {
    /// Takes until there are `count` deliveries.
    func take(_ count: Int, from queue: String) async throws -> [Delivery] {
        let subscription = try await subscribe(to: queue, prefetch: count)
        var taken: [Delivery] = []
        while taken.count < count, let more = try await subscription.next(upTo: count, bytes: 1 << 30) { taken += more }
        await subscription.settle(taken, .acknowledge)
        await subscription.cancel()
        return taken
    }
}

extension Publisher {
    /// Publishes with more time than a test should ever need.
    func publish(_ publication: Publication) async -> PublishOutcome {
        await publish(publication, deadline: .now + .seconds(60))
    }
}
