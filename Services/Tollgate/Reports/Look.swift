package import Messages

/// What one look at an installation has found; the arithmetic of reconciling starts from it.
package struct Look: Sendable {
    /// A partition that did not answer.
    package struct Silence: Encodable, Sendable, Hashable {
        /// Whose.
        package var service: ServiceName
        /// Which.
        package var partition: Int
        /// What came instead of an answer.
        package var why: String
        /// How many messages wait in its queue; absent: unknown.
        package var waiting: Int?

        /// A silence of these.
        package init(service: ServiceName, partition: Int, why: String) {
            self.service = service
            self.partition = partition
            self.why = why
        }
    }

    /// When.
    package var at: Timestamp
    /// Into how many partitions each service is split.
    package var counts: [ServiceName: PartitionCount]
    /// Of the partitions that answered.
    package var reports: [PartitionReport]
    /// Those that did not.
    package var silent: [Silence]
    /// How many messages each queue holds; nil: nobody could tell.
    package var depths: [String: Int]?
    /// How long a publisher may be silent before it counts as gone: three checkpoints.
    package var patience: Duration

    /// A look of these.
    package init(
        at: Timestamp, counts: [ServiceName: PartitionCount], reports: [PartitionReport], silent: [Silence] = [],
        depths: [String: Int]? = [:], patience: Duration = .seconds(15)
    ) {
        self.at = at
        self.counts = counts
        self.reports = reports
        self.silent = silent
        self.depths = depths
        self.patience = patience
    }

    /// What may still arrive at a service for the first time: in its partitions' queues, and among what the broker
    /// condemned; nil: unknown. What waits in its ladder has arrived, and its number was taken down then.
    package func waiting(for service: ServiceName) -> Int? {
        waiting { $0.hasPrefix("\(service).") && !$0.hasSuffix(".queries") && !$0.hasPrefix("\(service).retry.") }
    }

    /// What waits in the ladder of a service; nil: unknown.
    func waiting(inLadderOf service: ServiceName) -> Int? { waiting { $0.hasPrefix("\(service).retry.") } }

    /// What waits in one queue; nil: unknown.
    func waiting(in queue: String) -> Int? { waiting { $0 == queue } }

    func isSilent(_ taker: Taker) -> Bool {
        silent.contains { $0.service == taker.service && $0.partition == taker.partition }
    }

    private func waiting(where isMeant: (String) -> Bool) -> Int? {
        depths?.reduce(0) { sum, depth in isMeant(depth.key) ? sum &+ max(0, depth.value) : sum }
    }
}
