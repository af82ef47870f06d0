package import Messages
package import Messaging

/// A message as it would come from the broker, for tests that apply messages without one.
package struct Letter: Sendable, Hashable {
    package var kind: MessageKind
    package var id: MessageID
    package var acceptedAt: Timestamp
    package var author: BrokerUser
    package var bucket: Bucket
    package var body: [UInt8]

    package init(_ message: some Message, id: String, at time: Timestamp, from author: BrokerUser) throws {
        kind = type(of: message).kind
        self.id = MessageID(rawValue: id)
        acceptedAt = time
        self.author = author
        bucket = message.bucket
        body = try MessageJSON.encode(message)
    }

    package init(_ message: some Message, id: String, at time: Timestamp, from author: ServiceName) throws {
        try self.init(message, id: id, at: time, from: BrokerUser(of: author))
    }

    /// What a service publishes, as others or it itself get it.
    package init?(_ publication: Publication, from author: ServiceName) {
        let envelope = publication.envelope
        guard let kind = envelope.kind, let id = envelope.id, let acceptedAt = envelope.acceptedAt,
            let key = envelope.key
        else { return nil }
        self.kind = kind
        self.id = id
        self.acceptedAt = acceptedAt
        self.author = BrokerUser(of: author)
        bucket = Bucket(of: key)
        body = envelope.body
    }
}
