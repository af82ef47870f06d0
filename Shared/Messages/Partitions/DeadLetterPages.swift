/// Asks a partition for a page of dead letters, the newest first.
public struct DeadPageGet: PartitionMessage {
    /// `dead.page.v1`
    public static let kind: MessageKind = "dead.page.v1"

    /// A page: as many as were asked for, or fewer when they are large.
    public struct Value: Codable, Sendable, Hashable {
        /// The newest first.
        public var letters: [DeadLetterView]
        /// Give it as ``DeadPageGet/before``; absent on the last page.
        public var next: Int?

        /// A page of these.
        public init(letters: [DeadLetterView], next: Int?) {
            self.letters = letters
            self.next = next
        }
    }

    /// Which partition.
    public var partition: Int
    /// Which letters.
    public var filter: LetterFilter
    /// Where the page before ended.
    public var before: Int?
    /// The most letters, up to 1,000.
    public var limit: Int
    /// With properties and bodies.
    public var isWhole: Bool

    /// A question of these.
    public init(partition: Int, filter: LetterFilter, before: Int? = nil, limit: Int, isWhole: Bool = false) {
        self.partition = partition
        self.filter = filter
        self.before = before
        self.limit = limit
        self.isWhole = isWhole
    }
}

/// Asks a partition how many dead letters there are of each sort; a sort is mended by one remedy.
public struct DeadGroupsGet: PartitionMessage {
    /// `dead.groups.v1`
    public static let kind: MessageKind = "dead.groups.v1"

    /// Letters of one reason, step, kind and version of the service.
    public struct Group: Codable, Sendable, Hashable {
        /// Why.
        public var reason: String
        /// Where.
        public var step: String
        /// What.
        public var kind: String
        /// Which version of the service gave them up.
        public var version: String
        /// How many.
        public var count: Int
        /// When the first failed first.
        public var firstSeen: Timestamp
        /// When the last was given up.
        public var lastSeen: Timestamp
        /// The number of the newest.
        public var example: Int
        /// What is said of the newest.
        public var exampleText: String

        /// A group of these.
        public init(
            reason: String, step: String, kind: String, version: String, count: Int, firstSeen: Timestamp,
            lastSeen: Timestamp, example: Int, exampleText: String
        ) {
            self.reason = reason
            self.step = step
            self.kind = kind
            self.version = version
            self.count = count
            self.firstSeen = firstSeen
            self.lastSeen = lastSeen
            self.example = example
            self.exampleText = exampleText
        }
    }

    /// The largest groups, and what there is besides.
    public struct Value: Codable, Sendable, Hashable {
        /// Into how many partitions the service is split.
        public var partitions: Int
        /// Up to 1,000, the largest first.
        public var groups: [Group]
        /// How many letters are in smaller ones.
        public var others: Int
        /// How many wait for an operator, whatever the filter.
        public var dead: Int
        /// Since when the oldest of them waits.
        public var oldest: Timestamp?
        /// How many have been discarded.
        public var discarded: Int
        /// How many have been replayed and not ended yet.
        public var replaying: Int
        /// How many wait in the retry ladder.
        public var retrying: Int
        /// How many messages ever died here; with the next answer, a rate.
        public var everDied: Int
        /// How many messages were ever applied or refused here.
        public var everEnded: Int

        /// Of a partition without anything.
        public init(partitions: Int) {
            self.partitions = partitions
            (groups, others, dead, discarded, replaying, retrying, everDied, everEnded) = ([], 0, 0, 0, 0, 0, 0, 0)
        }
    }

    /// Which partition.
    public var partition: Int
    /// Which letters.
    public var filter: LetterFilter

    /// A question of these.
    public init(partition: Int, filter: LetterFilter) {
        self.partition = partition
        self.filter = filter
    }
}

/// Asks a partition what operators have changed, the newest first.
public struct AuditPageGet: PartitionMessage {
    /// `audit.page.v1`
    public static let kind: MessageKind = "audit.page.v1"

    /// One deed of one operator.
    public struct Entry: Codable, Sendable, Hashable {
        /// Names it within its partition.
        public var number: Int
        /// When it began.
        public var at: Timestamp
        /// When it was gone on with last.
        public var lastAt: Timestamp
        /// Who, as he named himself.
        public var by: String
        /// What: `replay`, `discard`, `restore`, `forget`, `edit`, `import`.
        public var deed: String
        /// Why, where it was said.
        public var why: String?
        /// How many letters.
        public var count: Int
        /// Of which preview, or under which id.
        public var run: MessageID
        /// What had been selected.
        public var filter: LetterFilter?

        /// An entry of these.
        public init(
            number: Int, at: Timestamp, lastAt: Timestamp, by: String, deed: String, why: String?, count: Int,
            run: MessageID, filter: LetterFilter?
        ) {
            self.number = number
            self.at = at
            self.lastAt = lastAt
            self.by = by
            self.deed = deed
            self.why = why
            self.count = count
            self.run = run
            self.filter = filter
        }
    }

    /// A page, and where to go on.
    public struct Value: Codable, Sendable, Hashable {
        /// Into how many partitions the service is split.
        public var partitions: Int
        /// The newest first.
        public var entries: [Entry]
        /// Give it as ``AuditPageGet/before``; absent on the last page.
        public var next: Int?

        /// A page of these.
        public init(partitions: Int, entries: [Entry], next: Int?) {
            self.partitions = partitions
            self.entries = entries
            self.next = next
        }
    }

    /// Which partition.
    public var partition: Int
    /// Where the page before ended.
    public var before: Int?
    /// The most entries, up to 1,000.
    public var limit: Int

    /// A question of these.
    public init(partition: Int, before: Int? = nil, limit: Int) {
        self.partition = partition
        self.before = before
        self.limit = limit
    }
}
