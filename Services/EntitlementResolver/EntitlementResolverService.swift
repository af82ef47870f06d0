internal import Erasures
internal import HTTP
package import Lane
package import Messages
public import Messaging
public import SQLite
public import ServiceKit

/// Who owns what, and what it unlocks.
public struct EntitlementResolverService: Service {
    /// Its tables, beside those of the lane.
    public static let schema = MigrationSequence.entitlementResolver

    private let group: ServiceGroup

    /// Opens the stores and the health port.
    ///
    /// - Parameters:
    ///   - broker: connected, or on its way to be.
    ///   - canPublish: whether it takes messages now; asked for readiness.
    public init(
        _ settings: EntitlementResolverSettings, version: String, broker: any Broker,
        canPublish: @escaping @Sendable () -> Bool, logger: Logger, metrics: MetricsRegistry
    ) async throws {
        let publisher = NumberedPublisher(
            service: .entitlementResolver, over: broker.publisher, interval: settings.partitions.checkpointInterval)
        let partitions = try await PartitionedService(
            .entitlementResolver, version: version, settings: settings.partitions, schema: Self.schema,
            broker: broker, publisher: publisher, logger: logger, metrics: metrics
        ) { _, _ in Self.handlers(retellingEvery: settings.retellingInterval, now: { .now }) }
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
    /// - Parameters:
    ///   - retellingInterval: in which users are told again, once, what is theirs; zero: never.
    ///   - now: the clock by which queries judge expiry.
    package static func handlers(
        retellingEvery retellingInterval: Duration, now: @escaping @Sendable () -> Timestamp
    ) -> HandlerTable {
        var table = HandlerTable()
        // Configuration, in every partition.
        table.add(ProjectApp())
        table.add(SetMapping())
        table.add(ProjectMapping())
        table.add(ListMappings())
        // The side of the transaction: its evidence, its claims, its link.
        table.add(RecordTransaction())
        table.add(RetractTransaction())
        table.add(RecordRenewal())
        table.add(RetractRenewal())
        table.add(AcceptClaim())
        table.add(UndoLink())
        table.add(UnpinLink())
        table.add(TellHistory())
        table.add(PageContests())
        table.add(ResendLinks())
        table.add(TellLinksAgain(every: retellingInterval))
        // The side of the user: who he is, what he holds, what it unlocks.
        table.add(IdentifyUser())
        table.add(TakeLink())
        table.add(TakeSubscription())
        table.add(ShowUser(now: now))
        table.add(ShowUserDocument(now: now))
        table.add(ExplainEntitlement(now: now))
        table.add(PageHoldings())
        table.add(PassExpiries())
        table.add(ReassessHolders())
        table.add(TellPurchases())
        table.add(ExportUser())
        // Both sides, in every partition.
        table.add(EraseUser())
        table.add(FollowErasure())
        table.add(ForgetClaimants())
        table.add(FindTraces())
        return table
    }
}
