/// A dead letter as operators see it; whole, it is a line of an export.
public struct DeadLetterView: Sendable, Hashable, Codable {
    /// Who discarded it, or let it be forgotten, when and why.
    public struct Discard: Sendable, Hashable, Codable {
        /// When.
        public var at: Timestamp
        /// Who, as he named himself.
        public var by: String
        /// Why.
        public var why: String

        /// A discard of these.
        public init(at: Timestamp, by: String, why: String) {
            self.at = at
            self.by = by
            self.why = why
        }
    }

    /// Names it within its partition.
    public var number: Int
    /// The message's id; for a stranger's without one, made of its bytes.
    public var id: MessageID
    /// The bucket of its key.
    public var bucket: Int
    /// The message's kind; empty: none was named.
    public var kind: String
    /// The key, as its sender named it.
    public var key: String?
    /// Why no verdict could be reached.
    public var reason: String
    /// Where it ended: `decode`, `prepare`, `apply`, …
    public var step: String
    /// The reason for people.
    public var text: String
    /// Which version of the service gave it up.
    public var version: String
    /// Through which exchange it came.
    public var exchange: String
    /// Under which routing key it came.
    public var routingKey: String
    /// How often it was tried.
    public var attempts: Int
    /// How often it has been replayed.
    public var generation: Int
    /// When it failed first.
    public var firstFailure: Timestamp
    /// When it was given up.
    public var lastFailure: Timestamp
    /// Of the body, in bytes.
    public var size: Int
    /// Where an imported one comes from.
    public var origin: String?
    /// Who changed the body last.
    public var editedBy: String?
    /// When the body was changed last.
    public var editedAt: Timestamp?
    /// Absent while it waits for an operator.
    public var discarded: Discard?
    /// Who let it be forgotten, when and why: of what it said nothing is kept. Absent: it is whole.
    public var forgotten: Discard?
    /// Every property and header as it came; absent in lists, as body and original, and of letters of more than 40 MB.
    public var properties: MessageProperties?
    /// Absent in lists.
    public var body: Octets?
    /// The body as it came, where it has been edited; absent in lists.
    public var original: Octets?

    /// A letter of these; what else there is to say of it is set afterwards.
    public init(
        number: Int, id: MessageID, bucket: Int, kind: String, key: String?, reason: String, step: String, text: String,
        version: String, exchange: String, routingKey: String, attempts: Int, generation: Int, firstFailure: Timestamp,
        lastFailure: Timestamp, size: Int
    ) {
        self.number = number
        self.id = id
        self.bucket = bucket
        self.kind = kind
        self.key = key
        self.reason = reason
        self.step = step
        self.text = text
        self.version = version
        self.exchange = exchange
        self.routingKey = routingKey
        self.attempts = attempts
        self.generation = generation
        self.firstFailure = firstFailure
        self.lastFailure = lastFailure
        self.size = size
    }
}
