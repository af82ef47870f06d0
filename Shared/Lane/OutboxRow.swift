internal import Messages
internal import Messaging

/// A message that a commit has left to be published.
struct OutboxRow: Sendable, Hashable {
    /// Its place in the order of commits; 0 until it is stored.
    var number: Int64 = 0
    var id: MessageID
    var bucket: Bucket
    var route: Route
    var isMandatory: Bool
    var kind: MessageKind
    var key: String
    var acceptedAt: Timestamp
    var cause: MessageID
    var traceparent: String?
    var body: [UInt8]

    var publication: Publication {
        var envelope = Envelope(kind: kind, id: id, body: body)
        envelope.key = key
        envelope.acceptedAt = acceptedAt
        envelope.cause = cause
        envelope.traceparent = traceparent
        return Publication(envelope, to: route, isMandatory: isMandatory)
    }
}
