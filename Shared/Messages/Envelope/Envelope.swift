/// A message as it travels: a body of JSON, and properties that any AMQP tool can read and set.
///
/// Accessors read and write the properties and headers of the interface (architecture: `type`, `message_id`, `key`,
/// `accepted_at`, …). Nothing here is trusted: strangers publish too.
public struct Envelope: Sendable, Hashable {
    /// Everything but the body.
    public var properties: MessageProperties
    /// JSON of the message alone, as it came.
    public var body: [UInt8]

    /// An envelope of just these two.
    public init(properties: MessageProperties, body: [UInt8]) {
        self.properties = properties
        self.body = body
    }

    /// A durable JSON message of ours.
    public init(kind: MessageKind, id: MessageID, body: [UInt8]) {
        self.init(properties: MessageProperties(), body: body)
        properties.contentType = "application/json"
        properties.deliveryMode = 2
        self.kind = kind
        self.id = id
    }

    /// `type`, or the header `kind` for tools that cannot set it; at most 255 bytes, as `type` can hold.
    public var kind: MessageKind? {
        get {
            // Some tools send every property, empty ones too. A header may be far longer than a property, and reports
            // count by kind.
            let texts = [properties.type, properties.headers.text("kind")]
            return texts.compactMap { $0 }.first { (1...255).contains($0.utf8.count) }.map(MessageKind.init(rawValue:))
        }
        set { properties.type = newValue?.rawValue }
    }

    /// `message_id` as it was sent; a stranger may leave it out, or send no UUID.
    public var id: MessageID? {
        get { properties.messageID.flatMap { $0.isEmpty ? nil : MessageID(rawValue: $0) } }
        set { properties.messageID = newValue?.rawValue }
    }

    /// What the message is about; decides its bucket.
    public var key: String? {
        get { properties.headers.text("key") }
        set { properties.headers["key"] = newValue.map(HeaderValue.text) }
    }

    /// When the fact was accepted from its author; the version of claims.
    public var acceptedAt: Timestamp? {
        get { properties.headers.text("accepted_at").flatMap(Timestamp.init(rfc3339:)) }
        set { properties.headers["accepted_at"] = newValue.map { .text($0.rfc3339) } }
    }

    /// The message that this one follows from.
    public var cause: MessageID? {
        get { properties.headers.text("cause").map(MessageID.init(rawValue:)) }
        set { properties.headers["cause"] = newValue.map { .text($0.rawValue) } }
    }

    /// Who has an operator's command done, as he names himself, for the audit trail: all operators have one login.
    public var by: String? {
        get { properties.headers.text("by") }
        set { properties.headers["by"] = newValue.map(HeaderValue.text) }
    }

    /// W3C trace context.
    public var traceparent: String? {
        get { properties.headers.text("traceparent") }
        set { properties.headers["traceparent"] = newValue.map(HeaderValue.text) }
    }

    /// How often it has been through the retry ladder.
    public var attempt: Int {
        get { count("attempt") }
        set { properties.headers["attempt"] = .int64(Int64(newValue)) }
    }

    /// When it failed first.
    public var firstFailure: Timestamp? {
        get { properties.headers.text("first_failure").flatMap(Timestamp.init(rfc3339:)) }
        set { properties.headers["first_failure"] = newValue.map { .text($0.rfc3339) } }
    }

    /// How often an operator has replayed it.
    public var generation: Int {
        get { count("generation") }
        set { properties.headers["generation"] = .int64(Int64(newValue)) }
    }

    /// How often a partition that does not own its key has passed it on.
    public var forwards: Int {
        get { count("forwards") }
        set { properties.headers["forwards"] = .int64(Int64(newValue)) }
    }

    /// A counter that is raised with each copy; a stranger's may be anything, and must not run over.
    private func count(_ name: String) -> Int { min(max(0, properties.headers.integer(name) ?? 0), 1_000_000) }

    /// The incarnation that numbered it, and its number on that routing key.
    public var sequence: PublisherNumber? {
        get {
            guard let publisher = properties.headers.text("publisher"), !publisher.isEmpty,
                let number = properties.headers.integer("seq"), number > 0
            else { return nil }
            return PublisherNumber(publisher: PublisherID(rawValue: publisher), number: number)
        }
        set {
            properties.headers["publisher"] = newValue.map { .text($0.publisher.rawValue) }
            properties.headers["seq"] = newValue.map { .int64(Int64($0.number)) }
        }
    }

    /// The broker user that published the original of a copy.
    public var firstUser: String? {
        get { properties.headers.text("first_user") }
        set { properties.headers["first_user"] = newValue.map(HeaderValue.text) }
    }

    /// Why the broker gave it up on a queue of the service that passes it on to its partition, to be kept unopened.
    public var condemned: String? {
        get { properties.headers.text("condemned") }
        set { properties.headers["condemned"] = newValue.map(HeaderValue.text) }
    }
}

/// A message's place in what one incarnation of a publisher sent under one routing key; numbers begin at 1.
public struct PublisherNumber: Sendable, Hashable {
    /// Who numbered it.
    public var publisher: PublisherID
    /// From 1, without gaps.
    public var number: Int

    /// Pairs them.
    public init(publisher: PublisherID, number: Int) {
        self.publisher = publisher
        self.number = number
    }
}
