import AMQP
import Foundation
import HTTP
import HTTPClient
import Messages
import Messaging
import ServiceKit
import TestSupport

/// `identify` requests a second at 64 connections, answered after the broker's confirmation.
func edgeBenchmark() async throws -> [Finding] {
    let installation = try await Installation.start(on: .ownNodes())
    let count = 12_000
    var (confirms, router, edge) = (0.0, 0.0, 0.0)
    for _ in 0..<3 {
        confirms = max(confirms, try await publishWithConfirms(count, to: installation))
        router = max(router, try await answerAtOnce(count))
        edge = max(edge, try await rate(count, in: timed { try await identify(count, at: installation) }))
    }
    let limit = serial(confirms, router)
    // What was accepted is still being applied: the resolver and the broker have to be at rest again.
    _ = try await installation.succeed("reconcile", "--wait", "120")
    let client = LoadClient(port: installation.edgePort, expected: #""ok":true"#)
    let latencies = try await client.send(Int(5 * edge / 2), width: 256, rate: edge / 2) { number in
        LoadClient.post("identify", body(number))
    }
    let memory = Installation.services.map { installation.residentMegabytes(of: $0) }
    await installation.tearDown()
    let p99 = latencies.percentile(0.99) / .milliseconds(1)
    return [
        Finding(
            benchmark: "edge", what: "requests/s (confirms \(Int(confirms)), router \(Int(router)))", value: edge,
            limit: limit, goal: "≥ 0.6 of 1/(1/confirms + 1/router)", isReached: edge / limit >= 0.6),
        Finding(
            benchmark: "edge", what: "p99 in ms at half of the maximum", value: p99, goal: "< 50", isReached: p99 < 50),
        Finding(
            benchmark: "edge", what: "largest service after it, in MB", value: memory.max() ?? 0, goal: "< 120",
            isReached: (memory.max() ?? 0) < 120),
    ]
}

private func body(_ number: Int) -> String {
    #"{"appUserId":"bench-\#(number)","bundleId":"\#(Installation.app)","platform":"ios","attributes":{"plan":"pro"}}"#
}

/// Runs `count` pieces of work, `width` at a time.
func concurrently(_ count: Int, width: Int = 64, _ work: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<width {
            group.addTask {
                for number in stride(from: lane, to: count, by: width) { try await work(number) }
            }
        }
        try await group.waitForAll()
    }
}

private func identify(_ count: Int, at installation: Installation) async throws {
    try await concurrently(count) { number in
        let response = try await installation.post("identify", body(number))
        guard response.status == 200 else { throw TestFailure("identify: \(response.status) \(response.text)") }
    }
}

/// Bare publish and confirm of the same message, 64 in flight.
private func publishWithConfirms(_ count: Int, to installation: Installation) async throws -> Double {
    let publisher = try await installation.publisher(as: .load)
    let duration = try await timed {
        try await concurrently(count) { number in
            let message = UserIdentify(
                organisation: OrganisationID(rawValue: Installation.organisation),
                app: AppID(rawValue: Installation.app), user: AppUserID(rawValue: "bench-\(number)"), platform: "ios",
                attributes: ["plan": .text("pro")], trust: .unverified)
            let envelope = Envelope(
                kind: UserIdentify.kind, id: MessageID(at: .now), body: try MessageJSON.encode(message))
            let outcome = await publisher.publish(
                Publication(envelope, to: .command(.entitlementResolver, message.bucket), isMandatory: true),
                deadline: .now + .seconds(10))
            guard outcome == .confirmed else { throw TestFailure("publish: \(outcome)") }
        }
    }
    return rate(count, in: duration)
}

/// A router that answers at once.
private func answerAtOnce(_ count: Int) async throws -> Double {
    var router = Router()
    router.post("/api/sdk/v1/identify") { _ in .json(bytes: Array(#"{"ok":true,"id":"0"}"#.utf8)) }
    let server = try HTTPServer(
        HTTPServerConfiguration(address: "127.0.0.1", port: 0), router: router,
        logger: Logger(service: "bench", least: .error), metrics: MetricsRegistry())
    let run = Task { try await server.run() }
    let http = HTTPClient(HTTPClientConfiguration())
    let url = "http://127.0.0.1:\(server.port)/api/sdk/v1/identify"
    let duration = try await timed {
        try await concurrently(count) { number in
            _ = try await http.send(
                HTTPRequest(
                    method: "POST", url: url, headers: ["Content-Type": "application/json"],
                    body: Array(body(number).utf8), timeout: .seconds(10)))
        }
    }
    run.cancel()
    try await run.value
    return rate(count, in: duration)
}
