import AMQP
import CBareLoop
import Messages
import Messaging
import ServiceKit
import TestSupport

/// Messages a second through a private node, against a bare loop in C over the same library, in the same run.
struct BrokerRates {
    /// Published and confirmed, by callers that publish one message at a time.
    var published: Double
    /// The same by the loop in C.
    var barePublished: Double
    /// Taken and acknowledged.
    var consumed: Double
    /// The same by the loop in C.
    var bareConsumed: Double
}

/// Publishing and consuming, 512 bytes.
func brokerBenchmark() async throws -> [Finding] {
    let node = try await BrokerProcess.start()
    let rates = try await brokerRates(await node.virtualHost())
    try await node.stop()
    return [
        Finding(
            benchmark: "broker", what: "messages/s published and confirmed, 1,000 callers", value: rates.published,
            limit: rates.barePublished, goal: "≥ 0.85 of a bare loop in C",
            isReached: rates.published >= 0.85 * rates.barePublished),
        Finding(
            benchmark: "broker", what: "messages/s taken and acknowledged", value: rates.consumed,
            limit: rates.bareConsumed, goal: "≥ 0.7 of a bare loop in C",
            isReached: rates.consumed >= 0.7 * rates.bareConsumed),
    ]
}

/// - Parameters:
///   - rounds: each does all four by turns, so that what else the machine does slows all of them alike.
///   - count: messages of each kind in a round.
func brokerRates(
    _ settings: BrokerSettings, rounds: Int = 5, count: Int = 40_000, callers: Int = 1000
) async throws -> BrokerRates {
    return try await AMQPBroker.running(settings) { broker in
        var (published, bare, consumed, bareConsumed) = (Duration.zero, Duration.zero, Duration.zero, Duration.zero)
        for round in 0..<rounds {
            // A queue each: a long one is slower than a short one.
            let ours = BenchmarkQueue(service: ServiceName(rawValue: "ours-\(round)"))
            let theirs = BenchmarkQueue(service: ServiceName(rawValue: "theirs-\(round)"))
            let session = try await broker.openSession(named: "benchmark")
            try await session.declare(ours.topology)
            try await session.declare(theirs.topology)
            _ = try await ours.publish(callers, each: count / callers / 4, by: broker.publisher)
            _ = try await ours.take(count / 4, from: session)

            bare += try theirs.publishBare(count, settings)
            published += try await ours.publish(callers, each: count / callers, by: broker.publisher)
            bareConsumed += try theirs.takeBare(count, settings)
            consumed += try await ours.take(count, from: session)
            await session.close()
        }
        func rate(_ time: Duration) -> Double { Double(rounds * count) / (time / .seconds(1)) }
        return BrokerRates(
            published: rate(published), barePublished: rate(bare), consumed: rate(consumed),
            bareConsumed: rate(bareConsumed))
    }
}

private struct BenchmarkQueue: Sendable {
    let service: ServiceName
    var topology: Topology { Topology(Topology.Layout(), services: [service]) }
    var name: String { QueueDeclaration.partition(service, 0).name }
    var route: Route { .command(service, Bucket.all[0]) }

    func publish(_ callers: Int, each: Int, by publisher: any Publisher) async throws -> Duration {
        var envelope = Envelope(
            kind: "transaction.verified.v1", id: MessageID(rawValue: "019e0000-0000-7000-8000-000000000000"),
            body: [UInt8](repeating: UInt8(ascii: "x"), count: 512))
        envelope.properties.headers = HeaderTable([
            .init(name: "accepted_at", value: .text("2026-11-30T08:15:00.250Z")),
            .init(name: "key", value: .text("organisation/2000000123456789")),
        ])
        let publication = Publication(envelope, to: route, isMandatory: true)
        let began = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    for _ in 0..<each {
                        let outcome = await publisher.publish(publication, deadline: .now + .seconds(60))
                        guard outcome == .confirmed else { throw BenchmarkError() }
                    }
                }
            }
            try await group.waitForAll()
        }
        return .now - began
    }

    func take(_ count: Int, from session: any BrokerSession) async throws -> Duration {
        let began = ContinuousClock.now
        let subscription = try await session.subscribe(to: name, prefetch: 1000)
        var taken = 0
        while taken < count, let batch = try await subscription.next(upTo: 256, bytes: 8 << 20) {
            await subscription.settle(batch, .acknowledge)
            taken += batch.count
        }
        await subscription.cancel()
        return .now - began
    }

    func publishBare(_ count: Int, _ settings: BrokerSettings) throws -> Duration {
        try bare(settings) { broker in
            route.exchange.rawValue.withCString { exchange in
                route.routingKey.withCString { bare_publish(broker, exchange, $0, Int32(count), 512, 256) }
            }
        }
    }

    func takeBare(_ count: Int, _ settings: BrokerSettings) throws -> Duration {
        try bare(settings) { broker in name.withCString { bare_consume(broker, $0, Int32(count), 1000, 256) } }
    }

    private func bare(_ settings: BrokerSettings, _ body: (bare_broker) -> Double) throws -> Duration {
        let address = settings.address
        let seconds = address.host.withCString { host in
            address.user.withCString { user in
                address.password.revealed.withCString { password in
                    address.virtualHost.withCString { virtualHost in
                        body(
                            bare_broker(
                                host: host, port: Int32(address.port), user: user, password: password,
                                vhost: virtualHost))
                    }
                }
            }
        }
        guard seconds > 0 else { throw BenchmarkError() }
        return .seconds(seconds)
    }
}
