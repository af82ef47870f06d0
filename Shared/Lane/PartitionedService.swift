public import Messages
public import Messaging
public import ServiceKit
public import SQLite

/// The partitions of one service that this process owns: opens their stores and runs them side by side.
public struct PartitionedService: Service {
    private let partitions: [Partition]
    private let states: [(name: String, state: PartitionState)]

    /// Opens the stores.
    ///
    /// - Parameters:
    ///   - schema: the service's own tables, beside the lane's.
    ///   - handlers: what the service does with messages, for one partition.
    ///   - publisher: the process's publisher, which numbers what it sends.
    /// - Throws: `StoreRefusal` where a store is missing, another's, newer, or held by another process.
    public init(
        _ service: ServiceName, version: String, settings: PartitionSettings, schema: MigrationSequence,
        broker: any Broker, publisher: NumberedPublisher, logger: Logger, metrics: MetricsRegistry,
        clock: @escaping @Sendable () -> Timestamp = { .now },
        handlers: (PartitionAddress, Database) async throws -> HandlerTable
    ) async throws {
        var partitions: [Partition] = []
        var states: [(String, PartitionState)] = []
        for number in settings.owned {
            let address = PartitionAddress(service: service, number: number, count: settings.count)
            let database = try await Database.open(
                at: address.storePath(in: settings.storeFolder), as: address.identity, schema: [.lane, schema])
            let state = PartitionState()
            let outbox = try await Outbox(database: database, publisher: publisher, logger: logger)
            let patience = Patience(
                address: address, database: database, publisher: publisher, limit: settings.limits.pauseLimit,
                stop: StopRequest(), state: state, logger: logger)
            let lane = Lane(
                address: address, database: database, handlers: try await handlers(address, database),
                publisher: publisher, outbox: outbox,
                writer: BatchWriter(address: address, version: version, ladder: settings.ladder, outbox: outbox),
                limits: settings.limits, clock: clock, patience: patience,
                measures: LaneMeasures(address, in: metrics, clock: clock), logger: logger)
            partitions.append(
                Partition(
                    lane: lane, broker: broker,
                    topology: Topology(settings.layout(of: service), services: [service], partition: number)))
            states.append((address.description, state))
        }
        self.partitions = partitions
        self.states = states
    }

    /// What keeps partitions from being ready, each with the partition's name; empty: all of them consume.
    public var complaints: [String] {
        states.compactMap { partition in partition.state.current.complaint.map { "\(partition.name): \($0)" } }
    }

    /// Runs every partition until cancelled.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for partition in partitions { group.addTask { try await partition.run() } }
            try await group.waitForAll()
        }
    }
}
