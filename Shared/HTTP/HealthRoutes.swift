internal import JSON
public import ServiceKit

/// What operators and orchestrators ask of every service.
///
/// - `/healthz`: 200 `{"ok":true}` as long as requests are answered at all. Restart me if not.
/// - `/readyz`: 200 or 503 with `{"ready":…,"checks":{"broker":"ok","store":"disk full"}}`. Send me nothing if not. With
///   `"degraded":"registry_snapshot_stale"` where something works, but not as it should: what the checks say, by name.
/// - `/metrics`: Prometheus' text format.
public struct HealthRoutes: Sendable {
    /// What one check found. Reasons are read by whoever can reach the port: nothing secret in them.
    public enum Finding: Equatable, Sendable {
        /// As it should be.
        case ok
        /// Works, but somebody should look.
        case degraded(String)
        /// Cannot do what it is there for.
        case failed(String)
    }

    /// One thing that readiness depends on.
    public struct Check: Sendable {
        let name: String
        let find: @Sendable () async -> Finding

        /// - Parameter find: asked at each `/readyz`, beside the other checks. All together have two seconds.
        public init(_ name: String, _ find: @escaping @Sendable () async -> Finding) {
            self.name = name
            self.find = find
        }
    }

    private let checks: [Check]
    private let metrics: MetricsRegistry

    /// - Parameter checks: their names differ.
    public init(checks: [Check], metrics: MetricsRegistry) {
        self.checks = checks
        self.metrics = metrics
    }

    /// Adds the three routes.
    public func add(to router: inout Router) {
        let (checks, metrics) = (checks, metrics)
        router.get("/healthz") { _ in .json(bytes: Array(#"{"ok":true}"#.utf8)) }
        router.get("/readyz", limits: RouteLimits(deadline: .seconds(2))) { _ in
            let readiness = await Readiness(asking: checks)
            return try .json(readiness, status: readiness.ready ? .ok : .serviceUnavailable)
        }
        router.get("/metrics") { _ in
            Response(
                headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                body: Array(metrics.render().utf8))
        }
    }
}

private struct Readiness: Encodable {
    private(set) var ready = true
    /// Absent where all is as it should be.
    private(set) var degraded: String?
    private(set) var checks: [String: String] = [:]

    init(asking checks: [HealthRoutes.Check]) async {
        await withTaskGroup(of: (String, HealthRoutes.Finding).self) { group in
            for check in checks { group.addTask { (check.name, await check.find()) } }
            var complaints: [String: String] = [:]
            for await (name, finding) in group {
                note(name, finding)
                if case .degraded(let reason) = finding { complaints[name] = reason }
            }
            guard !complaints.isEmpty else { return }
            degraded = complaints.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
        }
    }

    private mutating func note(_ name: String, _ finding: HealthRoutes.Finding) {
        switch finding {
        case .ok: checks[name] = "ok"
        case .degraded(let reason): checks[name] = reason
        case .failed(let reason):
            checks[name] = reason
            ready = false
        }
    }
}
