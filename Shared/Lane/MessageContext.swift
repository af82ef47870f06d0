public import Messages

/// What a handler may know of a message besides its body.
public struct MessageContext: Sendable, Hashable {
    /// The message's identity; for a stranger's without one, made of the SHA-256 of its kind and body.
    public let id: MessageID
    /// Its kind.
    public let kind: MessageKind
    /// The bucket of its key; every row that it writes carries it.
    public let bucket: Bucket
    /// When the fact was accepted from its author; neither later than its arrival nor earlier than ``earliest``.
    public let acceptedAt: Timestamp
    /// When this attempt began.
    public let now: Timestamp
    /// The broker user that published the original.
    public let author: BrokerUser?
    /// What the message follows from, as its author says.
    public let cause: MessageID?
    /// Who has an operator's command done, as he names himself.
    public let by: String?
    /// W3C trace context.
    public let traceparent: String?

    /// A context of these.
    public init(
        id: MessageID, kind: MessageKind, bucket: Bucket, acceptedAt: Timestamp, now: Timestamp, author: BrokerUser?,
        cause: MessageID? = nil, by: String? = nil, traceparent: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.bucket = bucket
        self.acceptedAt = acceptedAt
        self.now = now
        self.author = author
        self.cause = cause
        self.by = by
        self.traceparent = traceparent
    }

    /// 2020-01-01T00:00:00Z, before the first release: nothing was accepted earlier, whatever a stranger says.
    public static let earliest = Timestamp(clamping: 1_577_836_800_000)

    /// The time that is believed where a header says `time`, which anybody may have written.
    ///
    /// One from before ``earliest`` counts as that and not as arrival, which is another one each time that the message
    /// comes: what it says has to stay the same, since it is the version of what it claims.
    static func credible(_ time: Timestamp?, arrivedAt now: Timestamp) -> Timestamp {
        min(max(time ?? now, earliest), now)
    }

    /// Whether the message was published by one of `services`, as the broker has checked.
    public func isFrom(_ services: ServiceName...) -> Bool {
        services.contains { author == BrokerUser(of: $0) }
    }
}
