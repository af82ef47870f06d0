/// Asks a partition of any service what it has taken and what became of it; `tollgate reconcile` puts them together.
public struct PartitionReportGet: Codable, Sendable, Hashable {
    /// `partition.report.v1`
    public static let kind: MessageKind = "partition.report.v1"

    /// Which partition.
    public var partition: Int

    /// A question to this partition.
    public init(partition: Int) { self.partition = partition }
}

/// What one partition has taken, and what became of it.
public struct PartitionReport: Codable, Sendable, Hashable {
    /// The numbers of one publisher under one routing key.
    public struct Numbers: Codable, Sendable, Hashable {
        /// Who numbered.
        public var publisher: PublisherID
        /// Under which routing key.
        public var routingKey: String
        /// Which have arrived.
        public var seen: NumberSet
        /// The last checkpoint, if one arrived.
        public var checkpoint: PublisherCheckpoint?
        /// When the last checkpoint arrived.
        public var checkpointAt: Timestamp?
        /// When the last new number arrived, if one did.
        public var lastSeenAt: Timestamp?

        /// Numbers of these.
        public init(
            publisher: PublisherID, routingKey: String, seen: NumberSet, checkpoint: PublisherCheckpoint?,
            checkpointAt: Timestamp?, lastSeenAt: Timestamp? = nil
        ) {
            self.publisher = publisher
            self.routingKey = routingKey
            self.seen = seen
            self.checkpoint = checkpoint
            self.checkpointAt = checkpointAt
            self.lastSeenAt = lastSeenAt
        }
    }

    /// Dead letters of one reason, step and kind.
    public struct DeadGroup: Codable, Sendable, Hashable {
        /// Why.
        public var reason: String
        /// Where.
        public var step: String
        /// What.
        public var kind: String
        /// How many.
        public var count: Int

        /// A group of these.
        public init(reason: String, step: String, kind: String, count: Int) {
            self.reason = reason
            self.step = step
            self.kind = kind
            self.count = count
        }
    }

    /// Messages of one kind in the retry ladder, for one reason.
    public struct RetryGroup: Codable, Sendable, Hashable {
        /// Why they could not be applied yet.
        public var reason: String
        /// What.
        public var kind: String
        /// How many.
        public var count: Int
        /// When the first of them failed first.
        public var since: Timestamp

        /// A group of these.
        public init(reason: String, kind: String, count: Int, since: Timestamp) {
            self.reason = reason
            self.kind = kind
            self.count = count
            self.since = since
        }
    }

    /// The service.
    public var service: ServiceName
    /// Its partition.
    public var partition: Int
    /// Of how many.
    public var partitions: Int
    /// Messages whose effect is stored.
    public var applied: Int
    /// Messages whose answer was no.
    public var refused: Int
    /// Messages that came again and were not applied again.
    public var repeated: Int
    /// Messages passed on to the partition that owns their key.
    public var forwarded: Int
    /// Messages in the retry ladder.
    public var retrying: Int
    /// The largest groups of them; absent: a service of before it told.
    public var retryGroups: [RetryGroup]?
    /// Those of them whose time passed more than a minute ago.
    public var overdue: Int
    /// Dead letters, by reason, step and kind.
    public var dead: [DeadGroup]
    /// Dead letters that an operator has discarded; absent: a service of before there was an archive.
    public var discarded: Int?
    /// Dead letters that an operator has replayed and that have not ended yet; absent as above.
    public var replaying: Int?
    /// Rows of the outbox that the broker has not confirmed.
    public var unpublished: Int
    /// Everything numbered that has arrived.
    public var numbers: [Numbers]
    /// What the publisher of this process has sent itself, so that a loss is seen also where nobody took the message nor
    /// its checkpoint: nothing is ``Numbers/seen``, the checkpoint is what would be told now, and ``Numbers/checkpointAt``
    /// is when the last fate became known. Absent: a release that did not tell.
    public var published: [Numbers]?

    /// A report of these.
    public init(
        service: ServiceName, partition: Int, partitions: Int, applied: Int, refused: Int, repeated: Int,
        forwarded: Int, retrying: Int, overdue: Int, dead: [DeadGroup], discarded: Int? = nil, replaying: Int? = nil,
        unpublished: Int, numbers: [Numbers], published: [Numbers]? = nil, retryGroups: [RetryGroup]? = nil
    ) {
        self.service = service
        self.partition = partition
        self.partitions = partitions
        self.applied = applied
        self.refused = refused
        self.repeated = repeated
        self.forwarded = forwarded
        self.retrying = retrying
        self.retryGroups = retryGroups
        self.overdue = overdue
        self.dead = dead
        self.discarded = discarded
        self.replaying = replaying
        self.unpublished = unpublished
        self.numbers = numbers
        self.published = published
    }
}
