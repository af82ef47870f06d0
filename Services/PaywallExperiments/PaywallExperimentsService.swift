internal import Apps
internal import Erasures
internal import HTTP
package import Lane
internal import Messages
public import Messaging
public import SQLite
public import ServiceKit

/// What is offered to whom, and what comes of it.
public struct PaywallExperimentsService: Service {
    /// Its tables, beside those of the lane.
    public static let schema = MigrationSequence.paywallExperiments

    private let group: ServiceGroup

    /// Opens the stores and the health port.
    ///
    /// - Parameters:
    ///   - broker: connected, or on its way to be.
    ///   - canPublish: whether it takes messages now; asked for readiness.
    public init(
        _ settings: PaywallExperimentsSettings, version: String, broker: any Broker,
        canPublish: @escaping @Sendable () -> Bool, logger: Logger, metrics: MetricsRegistry
    ) async throws {
        let publisher = NumberedPublisher(
            service: .paywallExperiments, over: broker.publisher, interval: settings.partitions.checkpointInterval)
        let partitions = try await PartitionedService(
            .paywallExperiments, version: version, settings: settings.partitions, schema: Self.schema, broker: broker,
            publisher: publisher, logger: logger, metrics: metrics
        ) { _, _ in Self.handlers() }
        let checks = [
            HealthRoutes.Check("partitions") { partitions.complaints.first.map { .failed($0) } ?? .ok },
            HealthRoutes.Check("broker") { canPublish() ? .ok : .degraded("publishes nothing; what is due waits") },
        ]
        let health = try HealthServer(settings.health, checks: checks, metrics: metrics, logger: logger)
        group = ServiceGroup(
            [.init("health", health), .init("publisher", publisher), .init("partitions", partitions)], logger: logger)
    }

    /// Works until cancelled.
    public func run() async throws { try await group.run() }

    /// All that a partition does with messages.
    package static func handlers() -> HandlerTable {
        var table = HandlerTable()
        // Configuration, in every partition.
        table.add(ProjectApp())
        table.add(ProjectPaywall())
        table.add(ProjectPlacement())
        table.add(ProjectExperiment())
        // The side of the app: what its operator says.
        table.add(PutPaywall())
        table.add(PutPlacement())
        table.add(ListPaywalls())
        table.add(ListPlacements())
        table.add(CreateExperiment())
        table.add(StartExperiment())
        table.add(ChangeExperiment())
        table.add(StopExperiment())
        table.add(ListExperiments())
        // The side of the install: what it is offered.
        table.add(ResolvePaywall())
        table.add(ListAssignments())
        // And what it has seen, and what purchases count for.
        table.add(RecordImpression())
        table.add(CreditOutcome())
        // The side of the user: what he has seen and bought.
        table.add(TakeExposure())
        table.add(TakePurchase())
        table.add(TakeRefund())
        // All sides, in every partition.
        table.add(TallyExperiment())
        table.add(FollowErasure())
        table.add(ForgetUsers())
        table.add(FindTraces())
        table.add(ExportUser())
        return table
    }
}
