public import ServiceKit

/// Where a service answers `/healthz`, `/readyz` and `/metrics`, apart from what it does for the world.
public struct HealthSettings: SettingsGroup {
    static let address = Setting<String>.text(
        "TOLLGATE_HEALTH_ADDRESS", default: "127.0.0.1", "The address on which health and metrics are answered")
    static let port = Setting<Int>.integer(
        "TOLLGATE_HEALTH_PORT", in: 1...65_535, default: 9090,
        "The port on which health and metrics are answered; each service on a host needs its own")

    /// Both of them.
    public static var catalogue: [any SettingDescription] { [address, port] }

    /// The address.
    public let address: String
    /// The port.
    public let port: UInt16

    /// Reads and checks both.
    public init(from settings: Settings) throws(SettingsError) {
        address = try settings.value(of: Self.address)
        port = UInt16(try settings.value(of: Self.port))
    }

    /// Whether the service that runs with these settings is ready: what `--health` asks.
    public func probe() -> Bool { HealthProbe.check(address: address, port: port) }
}

/// Answers `/healthz`, `/readyz` and `/metrics` on a port of their own.
public struct HealthServer: Service {
    private let server: HTTPServer

    /// Listens from here on.
    public init(
        _ settings: HealthSettings, checks: [HealthRoutes.Check], metrics: MetricsRegistry, logger: Logger
    ) throws {
        var router = Router()
        HealthRoutes(checks: checks, metrics: metrics).add(to: &router)
        var configuration = HTTPServerConfiguration(address: settings.address, port: settings.port)
        configuration.gracePeriod = .seconds(1)
        server = try HTTPServer(configuration, router: router, logger: logger, metrics: metrics)
    }

    /// Answers until cancelled.
    public func run() async throws { try await server.run() }
}
