/// Forgets what letters of a selection say, for a user who is erased: body, original, properties, key and texts go, from those
/// that wait and from the archive alike, for good. Each stays in the archive as one that was there: with id, kind, reason,
/// step, bucket and times, and who let it be forgotten.
///
/// A portion at a time: the same request again goes on where the one before ended. Refused: `selection_unknown`,
/// `selection_unfit` (the selection was made for something else).
public struct DeadForget: PartitionMessage {
    /// `dead.forget.v1`
    public static let kind: MessageKind = "dead.forget.v1"

    /// How far it has come.
    public struct Value: Codable, Sendable, Hashable {
        /// How many were forgotten by this request.
        public var forgotten: Int
        /// How many are still to be.
        public var remaining: Int
        /// The selection that is replaying letters of this one, which has to be brought to its end first: they may be on
        /// their queue. Absent: there is none.
        public var heldBy: MessageID?
        /// Somebody reads the store: what was forgotten goes from its write-ahead log only with a later request, or with
        /// later writes. Absent: it has gone from there.
        public var isInLog: Bool?

        /// Progress of these.
        public init(forgotten: Int, remaining: Int, heldBy: MessageID? = nil, isInLog: Bool? = nil) {
            self.forgotten = forgotten
            self.remaining = remaining
            self.heldBy = heldBy
            self.isInLog = isInLog
        }
    }

    /// Which partition.
    public var partition: Int
    /// Which selection: of letters ``LetterFilter/isWherever``.
    public var run: MessageID
    /// The most letters.
    public var count: Int
    /// Who, as he names himself.
    public var by: String
    /// Why: it is kept, so it names no user.
    public var why: String

    /// A request of these.
    public init(partition: Int, run: MessageID, count: Int, by: String, why: String) {
        self.partition = partition
        self.run = run
        self.count = count
        self.by = by
        self.why = why
    }
}
