/// Freezes a selection: from now on it means these very letters, whatever dies meanwhile. Changes no letter.
///
/// The same `run` again answers what it did at first. Selections are forgotten after 30 days.
public struct DeadFreeze: PartitionMessage {
    /// `dead.freeze.v1`
    public static let kind: MessageKind = "dead.freeze.v1"

    /// What has been selected.
    public struct Value: Codable, Sendable, Hashable {
        /// How many letters.
        public var count: Int
        /// How many of them only ``DeadReplay/isForced`` replays.
        public var guarded: Int
        /// When the oldest was given up.
        public var oldest: Timestamp?
        /// When the newest was given up.
        public var newest: Timestamp?
        /// How many of them have been discarded; absent: a release that did not tell.
        public var discarded: Int?
        /// The numbers of the newest few of them; absent as above.
        public var examples: [Int]?
        /// How many were left out because nothing is kept of what they said; absent: none, or nobody could have meant them.
        public var forgotten: Int?

        /// A selection of these.
        public init(count: Int, guarded: Int, oldest: Timestamp? = nil, newest: Timestamp? = nil) {
            self.count = count
            self.guarded = guarded
            self.oldest = oldest
            self.newest = newest
        }
    }

    /// Which partition.
    public var partition: Int
    /// Names the selection; its maker's choice.
    public var run: MessageID
    /// Which letters.
    public var filter: LetterFilter
    /// Who, as he names himself.
    public var by: String
    /// Letters that have been replayed so often count as guarded.
    public var mostReplays: Int

    /// A selection of these.
    public init(partition: Int, run: MessageID, filter: LetterFilter, by: String, mostReplays: Int) {
        self.partition = partition
        self.run = run
        self.filter = filter
        self.by = by
        self.mostReplays = mostReplays
    }
}

/// Tries frozen letters without keeping anything of it: each is prepared and applied in a transaction that is undone.
///
/// It tells what a replay would come to at this moment, each letter for itself: what one letter would change for the
/// next does not show.
public struct DeadForetell: PartitionMessage {
    /// `dead.foretell.v1`
    public static let kind: MessageKind = "dead.foretell.v1"

    /// What they would come to.
    public struct Value: Codable, Sendable, Hashable {
        /// By outcome and reason.
        public var outcomes: [OutcomeCount]
        /// Give it as ``DeadForetell/after``; absent at the end of the selection.
        public var next: Int?

        /// A foretelling of these.
        public init(outcomes: [OutcomeCount], next: Int?) {
            self.outcomes = outcomes
            self.next = next
        }
    }

    /// Which partition.
    public var partition: Int
    /// Which selection.
    public var run: MessageID
    /// Where the one before ended.
    public var after: Int?
    /// The most letters, up to 200: the store's writer is held meanwhile.
    public var count: Int
    /// As if ``DeadReplay/isAsNew`` were said; absent: not.
    public var isAsNew: Bool?

    /// A question of these.
    public init(partition: Int, run: MessageID, after: Int? = nil, count: Int, isAsNew: Bool? = nil) {
        self.partition = partition
        self.run = run
        self.after = after
        self.count = count
        self.isAsNew = isAsNew
    }
}

/// Puts letters of a selection back onto the partition's queue, those that wait longest first.
///
/// Each goes under its id, publisher and number, with `generation` raised, and leaves the table once the broker has
/// confirmed it. The same request again goes on where the one before ended.
public struct DeadReplay: PartitionMessage {
    /// `dead.replay.v1`
    public static let kind: MessageKind = "dead.replay.v1"

    /// How far it has come.
    public struct Value: Codable, Sendable, Hashable {
        /// How many the broker has confirmed.
        public var sent: Int
        /// How many are still to be sent.
        public var remaining: Int
        /// Why it stopped before the count was reached; absent: it did not.
        public var pause: String?

        /// Progress of these.
        public init(sent: Int, remaining: Int, pause: String? = nil) {
            self.sent = sent
            self.remaining = remaining
            self.pause = pause
        }
    }

    /// Which partition.
    public var partition: Int
    /// Which selection.
    public var run: MessageID
    /// The most letters.
    public var count: Int
    /// Who, as he names himself.
    public var by: String
    /// Lets them win over what came after them: `accepted_at` is now.
    public var isAsNew: Bool
    /// Also those that have been replayed ``mostReplays`` times, and those that the process died of.
    public var isForced: Bool
    /// The loop guard.
    public var mostReplays: Int

    /// A request of these.
    public init(
        partition: Int, run: MessageID, count: Int, by: String, isAsNew: Bool = false, isForced: Bool = false,
        mostReplays: Int
    ) {
        self.partition = partition
        self.run = run
        self.count = count
        self.by = by
        self.isAsNew = isAsNew
        self.isForced = isForced
        self.mostReplays = mostReplays
    }
}

/// Asks what has become of the letters of a selection so far. The counts add up to the selection.
public struct DeadOutcomesGet: PartitionMessage {
    /// `dead.outcomes.v1`
    public static let kind: MessageKind = "dead.outcomes.v1"

    /// By outcome and reason.
    public struct Value: Codable, Sendable, Hashable {
        /// Absent: the partition knows no such selection.
        public var filter: LetterFilter?
        /// By outcome and reason.
        public var outcomes: [OutcomeCount]

        /// Outcomes of these.
        public init(filter: LetterFilter?, outcomes: [OutcomeCount]) {
            self.filter = filter
            self.outcomes = outcomes
        }
    }

    /// Which partition.
    public var partition: Int
    /// Which selection.
    public var run: MessageID

    /// A question of these.
    public init(partition: Int, run: MessageID) {
        self.partition = partition
        self.run = run
    }
}

/// Moves letters of a selection into the archive, or back from it. The same request again goes on where the one before
/// ended.
public struct DeadArchive: PartitionMessage {
    /// `dead.archive.v1`
    public static let kind: MessageKind = "dead.archive.v1"

    /// How far it has come.
    public struct Value: Codable, Sendable, Hashable {
        /// How many were moved.
        public var moved: Int
        /// How many are still to be moved.
        public var remaining: Int

        /// Progress of these.
        public init(moved: Int, remaining: Int) {
            self.moved = moved
            self.remaining = remaining
        }
    }

    /// Which partition.
    public var partition: Int
    /// Which selection.
    public var run: MessageID
    /// Back from it.
    public var isRestoring: Bool
    /// The most letters.
    public var count: Int
    /// Who, as he names himself.
    public var by: String
    /// Why.
    public var why: String

    /// A request of these.
    public init(partition: Int, run: MessageID, isRestoring: Bool, count: Int, by: String, why: String) {
        self.partition = partition
        self.run = run
        self.isRestoring = isRestoring
        self.count = count
        self.by = by
        self.why = why
    }
}
