/// Puts another body into a dead letter; the first one is kept beside it.
///
/// Refused: `letter_gone`, `letter_forgotten` (nothing is kept of what it said), `body_changed` (somebody else edited it
/// meanwhile), `kind_unknown`, `undecodable` (the service that takes its kind cannot read it).
public struct DeadEdit: PartitionMessage {
    /// `dead.edit.v1`
    public static let kind: MessageKind = "dead.edit.v1"
    /// Nothing to tell.
    public typealias Value = Nothing

    /// Which partition.
    public var partition: Int
    /// Which letter.
    public var number: Int
    /// Names the edit in the audit trail.
    public var run: MessageID
    /// The body that was edited.
    public var before: Octets
    /// What takes its place.
    public var body: Octets
    /// Who, as he names himself.
    public var by: String

    /// An edit of these.
    public init(partition: Int, number: Int, run: MessageID, before: Octets, body: Octets, by: String) {
        self.partition = partition
        self.number = number
        self.run = run
        self.before = before
        self.body = body
        self.by = by
    }
}

/// Puts letters of an export into the dead letters; no message is sent. What is there already is passed over.
public struct DeadImport: PartitionMessage {
    /// `dead.import.v1`
    public static let kind: MessageKind = "dead.import.v1"

    /// What was new.
    public struct Value: Codable, Sendable, Hashable {
        /// How many were added.
        public var added: Int
        /// How many were there.
        public var known: Int
        /// How many were left out because they have been forgotten here; absent: none.
        public var forgotten: Int?

        /// Counts of these.
        public init(added: Int, known: Int, forgotten: Int? = nil) {
            self.added = added
            self.known = known
            self.forgotten = forgotten
        }
    }

    /// Which partition.
    public var partition: Int
    /// Names the import in the audit trail.
    public var run: MessageID
    /// Whole letters.
    public var letters: [DeadLetterView]
    /// Who, as he names himself.
    public var by: String

    /// An import of these.
    public init(partition: Int, run: MessageID, letters: [DeadLetterView], by: String) {
        self.partition = partition
        self.run = run
        self.letters = letters
        self.by = by
    }
}
