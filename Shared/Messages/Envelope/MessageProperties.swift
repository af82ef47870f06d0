/// The fourteen basic properties of AMQP 0-9-1 (§ 1.8, class basic), as they travel; absent is nil.
public struct MessageProperties: Sendable, Hashable, Codable {
    /// MIME type of the body; `application/json` for ours.
    public var contentType: String?
    /// Encoding of the body; none for ours.
    public var contentEncoding: String?
    /// Header table; ours are read through ``Envelope``.
    public var headers = HeaderTable()
    /// 2: kept on disk.
    public var deliveryMode: UInt8?
    /// 0 to 255; unused.
    public var priority: UInt8?
    /// What a reply answers.
    public var correlationID: String?
    /// Queue for the reply.
    public var replyTo: String?
    /// Milliseconds as text: how long whoever asks a question waits for the answer.
    public var expiration: String?
    /// The message's identity.
    public var messageID: String?
    /// Seconds since 1970.
    public var timestamp: UInt64?
    /// The message's kind.
    public var type: String?
    /// The broker user that published it; the broker refuses a wrong one.
    public var userID: String?
    /// The publishing service.
    public var appID: String?
    /// Deprecated by the protocol; kept for lossless copies.
    public var clusterID: String?

    /// No property set.
    public init() {}
}
