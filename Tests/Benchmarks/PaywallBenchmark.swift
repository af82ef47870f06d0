import AMQP
import Foundation
import HTTPClient
import Messages
import Messaging
import ServiceKit
import TestSupport

/// The paywall of installs that an experiment has assigned, over HTTP at 64 in flight, against bare request-reply through
/// the same broker; then how long it takes at half of that rate.
func paywallBenchmark() async throws -> [Finding] {
    let installation = try await Installation.start(on: .ownNodes())
    // The experiments have heard of the app.
    _ = try await installation.succeed("reconcile", "--wait", "60")
    try await Operator.with(installation) { try await $0.startExperiment() }
    // What is too late has to be seen as late, and not as an answer without products.
    await installation.stop(.attestGateway, SIGTERM)
    try await installation.start(.attestGateway, ["TOLLGATE_PAYWALL_DEADLINE": "5s"])
    try await installation.waitUntilReady(.attestGateway)
    let installs = 500
    try await concurrently(installs) { number in try await paywall(number, at: installation) }
    let answer = try await installation.post("paywall", paywallBody(0))

    // An answer without products would be a fast one.
    let client = LoadClient(port: installation.edgePort, expected: #""variantKey":"#)
    let echo = try await Echo.start(on: installation, answer: answer.body)
    let count = 2_000
    let services = [ServiceName.attestGateway, .paywallExperiments]
    var (bare, http) = (Duration.zero, Duration.zero)
    var processor = services.map { _ in 0.0 }
    // By turns: what else the machine does then slows both alike.
    for round in 0..<10 {
        let bareTime = try await timed { try await concurrently(count) { try await echo.ask($0) } }
        let before = services.map { installation.processorSeconds(of: $0) }
        let time = try await timed {
            try await client.send(count) { paywallRequest($0 % installs) }
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
    let (bareRate, rate) = (rate(9 * count, in: bare), rate(9 * count, in: http))
    let latencies = try await client.send(Int(5 * rate / 2), width: 256, rate: rate / 2) {
        paywallRequest($0 % installs)
    }
    await installation.tearDown()
    let p99 = latencies.percentile(0.99) / .milliseconds(1)
    return [
        Finding(
            benchmark: "paywall", what: "paywalls/s of assigned installs over HTTP, 64 in flight", value: rate,
            limit: bareRate, goal: "≥ 0.4 of bare request-reply", isReached: rate >= 0.4 * bareRate),
        Finding(
            benchmark: "paywall", what: "p99 in ms at half of that", value: p99, goal: "< 40", isReached: p99 < 40),
    ]
        + zip(services, processor).map { service, seconds in
            Finding(
                benchmark: "paywall", what: "µs of processor per paywall in \(service)",
                value: seconds * 1e6 / Double(9 * count), goal: "to be compared", isReached: true)
        }
}

private func paywallBody(_ install: Int) -> String {
    #"{"bundleId":"\#(Installation.app)","installId":"install-\#(install)","appUserId":"user-\#(install)","entitlement":"pro"}"#
}

private func paywallRequest(_ install: Int) -> String { LoadClient.post("paywall", paywallBody(install)) }

private func paywall(_ install: Int, at installation: Installation) async throws {
    let response = try await installation.post("paywall", paywallBody(install))
    guard response.status == 200, response.text.contains(#""variantKey""#) else {
        throw TestFailure("paywall: \(response.status) \(response.text)")
    }
}

/// Speaks to the experiments as the operator's tool does.
private struct Operator: Sendable {
    private let requester: Requester
    private let organisation = OrganisationID(rawValue: Installation.organisation)
    private let app = AppID(rawValue: Installation.app)

    static func with(_ installation: Installation, _ body: (Operator) async throws -> Void) async throws {
        let settings = try await installation.login(of: .operatorTool)
        let broker = AMQPBroker(settings, name: "operator", logger: Logger(service: "bench", least: .error))
        let requester = Requester(user: .operatorTool, broker: broker)
        let running = [Task { try await broker.run() }, Task { try await requester.run() }]
        defer { for task in running { task.cancel() } }
        try await body(Operator(requester: requester))
    }

    /// Every install takes part, in one of two variants.
    func startExperiment() async throws {
        let offers = ["annual", "monthly"].map {
            PaywallSKU(product: ProductID(rawValue: "\(app).pro.\($0)"), kind: .subscription)
        }
        let (pro, id) = (EntitlementID(rawValue: Installation.entitlement), ExperimentID(rawValue: "bench"))
        let variants = ["a", "b"].map { VariantKey(rawValue: $0) }
        try await send(PaywallPut(organisation: organisation, app: app, entitlement: pro, skus: offers))
        try await send(
            ExperimentCreate(
                organisation: organisation, app: app, experiment: id, entitlement: pro, name: "bench", coverage: 10_000,
                arms: variants.map { Experiment.Arm(variant: $0, weight: 1) },
                variants: variants.map { Experiment.Variant(key: $0, skus: offers) }))
        try await send(ExperimentStart(organisation: organisation, app: app, experiment: id))
    }

    private func send<C: Command>(_ command: C) async throws {
        let answer = try await requester.command(command, within: .seconds(10))
        guard case .applied = answer else { throw TestFailure("\(C.kind): \(answer)") }
    }
}
