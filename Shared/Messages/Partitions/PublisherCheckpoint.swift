/// How far a publisher's numbers on one routing key have been confirmed by the broker.
///
/// Published under that same routing key every 5 seconds where something was sent, and at an orderly stop; not numbered
/// itself. The partition that takes it stores it: what is confirmed and never seen is lost.
public struct PublisherCheckpoint: Codable, Sendable, Hashable {
    /// `publisher.checkpoint.v1`
    public static let kind: MessageKind = "publisher.checkpoint.v1"

    /// Who numbered.
    public var publisher: PublisherID
    /// Under which routing key.
    public var routingKey: String
    /// Every number up to this one has been sent, and its fate is known or named below.
    public var through: Int
    /// Numbers up to ``through`` that were not confirmed: returned, refused, or lost with a connection. Those may have
    /// arrived all the same.
    public var unconfirmed: NumberSet
    /// Nothing will follow: the publisher has stopped in order.
    public var isFinal: Bool

    /// A checkpoint of these.
    public init(
        publisher: PublisherID, routingKey: String, through: Int, unconfirmed: NumberSet, isFinal: Bool
    ) {
        self.publisher = publisher
        self.routingKey = routingKey
        self.through = through
        self.unconfirmed = unconfirmed
        self.isFinal = isFinal
    }
}
