import AMQP
import Foundation
import HTTPClient
import Messages
import Messaging
import ServiceKit
import TestSupport

/// Users read over HTTP at 64 in flight against bare request-reply through the same broker.
func usersBenchmark() async throws -> [Finding] {
    let installation = try await Installation.start(on: .ownNodes())
    let load = try PurchaseLoad(200, seed: 7, signedBy: installation.authority)
    try await load.send(to: installation)
    _ = try await installation.succeed("reconcile", "--wait", "60")
    let path = "/api/v1/apps/\(Installation.app)/users/"
    let answer = try await installation.get(path + load.purchases[0].user)
    guard answer.status == 200, answer.text.contains(#""active":true"#) else {
        throw TestFailure("user: \(answer.status) \(answer.text)")
    }

    let echo = try await Echo.start(on: installation, answer: answer.body)
    let key = await installation.key
    let client = LoadClient(port: installation.edgePort, expected: #""customer":"#)
    let count = 2_000
    let services = [ServiceName.attestGateway, .entitlementResolver]
    var (bare, http) = (Duration.zero, Duration.zero)
    var processor = services.map { _ in 0.0 }
    // By turns: what else the machine does then slows both alike.
    for round in 0..<10 {
        let bareTime = try await timed { try await concurrently(count) { try await echo.ask($0) } }
        let before = services.map { installation.processorSeconds(of: $0) }
        let time = try await timed {
            try await client.send(count) { number in
                let user = load.purchases[number % load.purchases.count].user
                return "GET \(path)\(user) HTTP/1.1\r\nHost: edge\r\nAuthorization: Bearer \(key)\r\n\r\n"
            }
        }
        // The first only warms up.
        guard round > 0 else { continue }
        bare += bareTime
        http += time
        for (index, service) in services.enumerated() {
            processor[index] += installation.processorSeconds(of: service) - before[index]
        }
    }
    await echo.stop()
    await installation.tearDown()
    let (bareRate, rate) = (rate(9 * count, in: bare), rate(9 * count, in: http))
    var findings = [
        Finding(
            benchmark: "users", what: "user reads/s over HTTP, 64 in flight", value: rate, limit: bareRate,
            goal: "≥ 0.4 of bare request-reply", isReached: rate >= 0.4 * bareRate)
    ]
    for (service, seconds) in zip(services, processor) {
        findings.append(
            Finding(
                benchmark: "users", what: "µs of processor per read in \(service)",
                value: seconds * 1e6 / Double(9 * count), goal: "to be compared", isReached: true))
    }
    return findings
}

/// Somebody who answers every question at once with the same bytes, and somebody who asks.
final class Echo: Sendable {
    private let requester: Requester
    private let running: [Task<Void, any Error>]
    private let queue: String

    static func start(on installation: Installation, answer: [UInt8]) async throws -> Echo {
        let settings = try await installation.login(of: .operatorTool)
        let logger = Logger(service: "bench", least: .error)
        let (asking, answering) = (
            AMQPBroker(settings, name: "asks", logger: logger), AMQPBroker(settings, name: "answers", logger: logger)
        )
        let requester = Requester(user: .operatorTool, broker: asking)
        // Takes the place of a service that there is not.
        let service = ServiceName(rawValue: "echo")
        var running = [
            Task { try await asking.run() }, Task { try await answering.run() }, Task { try await requester.run() },
        ]
        let session = try await answering.openSession(named: "echo")
        let (queue, bindings) = Topology.queries(service, 0, of: .one)
        try await session.declareExclusive(queue: queue, bindings: bindings)
        let subscription = try await session.subscribe(to: queue, prefetch: 256)
        running.append(
            Task {
                while let deliveries = try await subscription.next(upTo: 64, bytes: 8 << 20) {
                    await subscription.settle(deliveries, .acknowledge)
                    await answering.publisher.send(deliveries.compactMap { reply(to: $0.envelope, answer) })
                }
            })
        let echo = Echo(requester: requester, running: running, queue: queue)
        try await echo.ask(0)
        return echo
    }

    private init(requester: Requester, running: [Task<Void, any Error>], queue: String) {
        self.requester = requester
        self.running = running
        self.queue = queue
    }

    func ask(_ number: Int) async throws {
        let route = Route.query(ServiceName(rawValue: "echo"), Bucket.all[number % Bucket.all.count])
        _ = try await requester.ask("user.get.v1", Array(repeating: 0x20, count: 100), by: route, within: .seconds(10))
    }

    private static func reply(to question: Envelope, _ body: [UInt8]) -> Publication? {
        guard let queue = question.properties.replyTo else { return nil }
        var envelope = Envelope(kind: "answer.v1", id: MessageID(at: .now), body: body)
        envelope.properties.correlationID = question.properties.correlationID
        return Publication(envelope, to: .reply(queue), isMandatory: false)
    }

    func stop() async { for task in running { task.cancel() } }
}
