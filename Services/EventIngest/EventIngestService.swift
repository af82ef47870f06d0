internal import Apps
internal import Erasures
internal import HTTP
package import Lane
internal import Messages
public import Messaging
public import SQLite
public import ServiceKit

/// What apps tell of their users.
public struct EventIngestService: Service {
    /// Its tables, beside those of the lane.
    public static let schema = MigrationSequence.eventIngest

    private let group: ServiceGroup

    /// Opens the stores and the health port.
    ///
    /// - Parameters:
    ///   - broker: connected, or on its way to be.
    ///   - canPublish: whether it takes messages now; asked for readiness.
    public init(
        _ settings: EventIngestSettings, version: String, broker: any Broker,
        canPublish: @escaping @Sendable () -> Bool, logger: Logger, metrics: MetricsRegistry
    ) async throws {
        let publisher = NumberedPublisher(
            service: .eventIngest, over: broker.publisher, interval: settings.partitions.checkpointInterval)
        let partitions = try await PartitionedService(
            .eventIngest, version: version, settings: settings.partitions, schema: Self.schema, broker: broker,
            publisher: publisher, logger: logger, metrics: metrics
        ) { address, _ in
            Self.handlers(partitions: address.count.rawValue, measures: EventMeasures(in: metrics))
        }
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
    ///
    /// - Parameter partitions: how many there are.
    package static func handlers(partitions: Int, measures: EventMeasures) -> HandlerTable {
        var table = HandlerTable()
        // Configuration, in every partition.
        table.add(ProjectApp())
        table.add(ProjectNames(measures: measures))
        table.add(SettleWaiting(measures: measures))
        table.add(SweepReleased(measures: measures))
        // The side of the app: its names.
        table.add(ClaimNames(measures: measures))
        table.add(ProposeNames(measures: measures))
        table.add(ListNames())
        table.add(ReleaseNames(measures: measures))
        table.add(RuleNames(measures: measures))
        table.add(CountNames())
        // The side of the user: his events.
        table.add(RecordEvents(measures: measures))
        table.add(PageSignposts(partitions: partitions))
        // The side of the user: how far he has come.
        table.add(TakeExposure())
        table.add(TakePurchase())
        table.add(TakeRefund())
        table.add(RenewFunnels())
        table.add(ListFunnelSteps(partitions: partitions))
        table.add(CountFunnel())
        // What is kept of a user, in every partition.
        table.add(FollowErasure())
        table.add(ForgetUsers())
        table.add(FindTraces())
        table.add(ExportUser())
        return table
    }
}
