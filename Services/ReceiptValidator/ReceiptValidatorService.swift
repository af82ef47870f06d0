internal import Apps
internal import HTTP
package import Lane
package import Messages
public import Messaging
public import SQLite
public import ServiceKit
internal import StoreArtifacts

/// Verifies what stores sign.
public struct ReceiptValidatorService: Service {
    /// Its tables, beside those of the lane.
    public static let schema = MigrationSequence.receiptValidator

    private let group: ServiceGroup

    /// Opens the stores and the health port.
    ///
    /// - Parameters:
    ///   - broker: connected, or on its way to be.
    ///   - canPublish: whether it takes messages now; asked for readiness.
    public init(
        _ settings: ReceiptValidatorSettings, version: String, broker: any Broker,
        canPublish: @escaping @Sendable () -> Bool, logger: Logger, metrics: MetricsRegistry
    ) async throws {
        let publisher = NumberedPublisher(
            service: .receiptValidator, over: broker.publisher, interval: settings.partitions.checkpointInterval)
        // Signers are the same in every partition, and mostly the same one or two.
        let (chains, recent) = (ChainCache(), RecentJudgements())
        let measures = VerdictMeasures(in: metrics)
        let partitions = try await PartitionedService(
            .receiptValidator, version: version, settings: settings.partitions, schema: Self.schema, broker: broker,
            publisher: publisher, logger: logger, metrics: metrics
        ) { _, database in
            let directory = AppDirectory(try await database.read { try AppStore.all(in: $0) })
            return Self.handlers(
                judge: ArtifactJudge(
                    directory: directory, chains: chains, recent: recent,
                    looked: { measures.looked.add() }), directory: directory, measures: measures, now: { .now })
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
    /// - Parameter now: the clock by which queries judge.
    package static func handlers(
        judge: ArtifactJudge, directory: AppDirectory, measures: VerdictMeasures,
        now: @escaping @Sendable () -> Timestamp
    ) -> HandlerTable {
        var table = HandlerTable()
        table.add(ProjectApp(showing: directory.put))
        table.add(JudgeArtifact(judge: judge, measures: measures))
        table.add(AnswerVerdict(judge: judge, measures: measures))
        table.add(ReverifyArtifact(judge: judge, measures: measures))
        table.add(PageArtifacts(judge: judge, now: now))
        return table
    }
}
