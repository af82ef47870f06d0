import Foundation
import HTTP
import HTTPClient
import ServiceKit
import Testing

@Suite("Health")
struct HealthTests {
    private func router(_ checks: [HealthRoutes.Check], _ metrics: MetricsRegistry = MetricsRegistry()) -> Router {
        var router = Router()
        HealthRoutes(checks: checks, metrics: metrics).add(to: &router)
        return router
    }

    @Test("A server that answers is healthy, and shows its numbers")
    func healthy() async throws {
        let metrics = MetricsRegistry()
        metrics.counter("things_total", "Things").add(3)
        try await RunningServer.with(router([], metrics)) { server in
            #expect(try await server.get("/healthz").text == #"{"ok":true}"#)
            let numbers = try await server.get("/metrics")
            #expect(numbers.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
            #expect(numbers.text.contains("things_total 3\n"))
        }
    }

    @Test(
        "Ready is who has no failed check; what is degraded is said",
        arguments: [
            ([], true, nil, [:]),
            ([("store", .ok)], true, nil, ["store": "ok"]),
            (
                [("store", .ok), ("broker", .degraded("blocked"))], true, "blocked",
                ["store": "ok", "broker": "blocked"]
            ),
            (
                [("store", .degraded("slow")), ("broker", .degraded("blocked"))], true, "blocked, slow",
                ["store": "slow", "broker": "blocked"]
            ),
            (
                [("store", .failed("disk full")), ("broker", .ok)], false, nil,
                ["store": "disk full", "broker": "ok"]
            ),
        ] as [([(String, HealthRoutes.Finding)], Bool, String?, [String: String])])
    func readiness(
        findings: [(String, HealthRoutes.Finding)], ready: Bool, degraded: String?, checks: [String: String]
    ) async throws {
        struct Answer: Decodable, Equatable {
            let ready: Bool
            let degraded: String?
            let checks: [String: String]
        }
        let router = router(findings.map { name, finding in .init(name) { finding } })
        try await RunningServer.with(router) { server in
            let response = try await server.get("/readyz")
            let answer = try JSONDecoder().decode(Answer.self, from: Data(response.body))

            #expect(response.status == (ready ? 200 : 503))
            #expect(answer == Answer(ready: ready, degraded: degraded, checks: checks))
            let port = server.port
            let probed = await withCheckedContinuation { continuation in
                BlockingExecutor(label: "probe").run { continuation.resume(returning: HealthProbe.check(port: port)) }
            }
            #expect(probed == ready)
        }
    }

    @Test("Where nobody listens or nobody answers, the probe says no")
    func nobody() async throws {
        let silent = try HTTPServer(router: Router(), logger: Logger(service: "test") { _ in })
        let port = silent.port

        #expect(!HealthProbe.check(address: "0.0.0.0", port: port, timeLimit: .milliseconds(50)))
        #expect(!HealthProbe.check(port: 1))
        #expect(!HealthProbe.check(address: "nonsense", port: port))
    }
}
