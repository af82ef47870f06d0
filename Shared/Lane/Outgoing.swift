internal import Crypto
public import Messages
package import Messaging

/// What follows from a message: published from the outbox once the effect is stored.
///
/// The ids derive from cause, kind, key and body, so a repeat publishes the same ones.
public struct Outgoing {
    let cause: MessageID
    let bucket: Bucket
    let acceptedAt: Timestamp
    let traceparent: String?
    private(set) var rows: [OutboxRow] = []

    /// What will be published, in order.
    package var publications: [Publication] { rows.map(\.publication) }

    /// Nothing yet.
    ///
    /// - Parameters:
    ///   - cause: the message that it all follows from.
    ///   - bucket: of the cause; the rows move with it when a store is split.
    ///   - acceptedAt: handed down, unless a message says otherwise.
    public init(cause: MessageID, bucket: Bucket, acceptedAt: Timestamp, traceparent: String? = nil) {
        self.cause = cause
        self.bucket = bucket
        self.acceptedAt = acceptedAt
        self.traceparent = traceparent
    }

    init(following context: MessageContext) {
        self.init(
            cause: context.id, bucket: context.bucket, acceptedAt: context.acceptedAt, traceparent: context.traceparent)
    }

    /// Publishes a fact.
    public mutating func publish<E: Event>(_ event: E) throws {
        try append(event, to: .event(E.kind, event.bucket), isMandatory: false)
    }

    /// Sends a command.
    public mutating func send<C: Command>(_ command: C) throws {
        try append(command, to: .command(C.recipient, command.bucket), isMandatory: true)
    }

    private mutating func append(_ message: some Message, to route: Route, isMandatory: Bool) throws {
        let kind = type(of: message).kind
        let key = message.key
        let body = try MessageJSON.encode(message)
        let digest = Digest.sha256(
            Array("\(cause.rawValue)\u{0}\(kind.rawValue)\u{0}\(key)\u{0}".utf8) + body)
        rows.append(
            OutboxRow(
                id: MessageID(following: cause, digest: digest), bucket: bucket, route: route, isMandatory: isMandatory,
                kind: kind, key: key, acceptedAt: acceptedAt, cause: cause, traceparent: traceparent, body: body))
    }
}
