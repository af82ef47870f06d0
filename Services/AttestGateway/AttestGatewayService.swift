internal import HTTP
internal import Lane
internal import Messages
public import Messaging
public import SQLite
public import ServiceKit

/// The edge turns HTTP into messages; the registry keeps apps, keys and devices. A process does both, or one.
public struct AttestGatewayService: Service {
    /// The registry's tables, beside those of the lane.
    public static let schema = MigrationSequence.registry

    private let group: ServiceGroup

    /// Opens the store and the ports of its roles.
    ///
    /// - Parameters:
    ///   - broker: connected, or on its way to be.
    ///   - canPublish: whether its publisher is connected; without that an edge can accept nothing.
    public init(
        _ settings: AttestGatewaySettings, version: String, broker: any Broker,
        canPublish: @escaping @Sendable () -> Bool, logger: Logger, metrics: MetricsRegistry
    ) async throws {
        let publisher = NumberedPublisher(
            service: .attestGateway, over: broker.publisher, interval: settings.partitions.checkpointInterval)
        var checks: [HealthRoutes.Check] = []
        var members = [ServiceGroup.Member("publisher", publisher)]
        if settings.roles.contains(.registry) {
            let partitions = try await PartitionedService(
                .attestGateway, version: version, settings: settings.partitions, schema: Self.schema, broker: broker,
                publisher: publisher, logger: logger, metrics: metrics
            ) { _, _ in .registry(metrics: metrics) }
            checks.append(
                .init("partitions") { partitions.complaints.first.map { .failed($0) } ?? .ok })
            members.append(.init("registry", partitions))
        }
        if settings.roles.contains(.edge) {
            let requester = Requester(user: BrokerUser(of: .attestGateway), broker: broker)
            let keys = try TokenKeyFile(settings.tokenKeys).keys()
            logger.info("token keys", ["fingerprints": .string(keys.fingerprints.joined(separator: " "))])
            let edge = Edge(
                settings, keys: keys, broker: broker, publisher: publisher, questions: Questions(through: requester),
                logger: logger, metrics: metrics)
            checks.append(.init("broker") { canPublish() ? .ok : .failed("not connected") })
            checks.append(.init("registry") { edge.registry.readiness })
            let server = try HTTPServer(settings.http, router: edge.router, logger: logger, metrics: metrics)
            members += [
                .init("requester", requester), .init("registry follower", edge.follower),
                .init("news", edge.news), .init("http", server),
            ]
            if let counting = edge.counting { members.append(.init("counting", counting)) }
        }
        let health = try HealthServer(settings.health, checks: checks, metrics: metrics, logger: logger)
        group = ServiceGroup([.init("health", health)] + members, logger: logger)
    }

    /// Works until cancelled.
    public func run() async throws { try await group.run() }
}

extension AttestGatewaySettings {
    /// How the edge listens.
    var http: HTTPServerConfiguration {
        var configuration = HTTPServerConfiguration(address: address, port: port)
        configuration.maxConnections = connections
        return configuration
    }
}
