package import Messages
package import Messaging

/// Puts the frames of one message together: a header, then bodies until it is whole (AMQP 0-9-1 § 4.2.6).
package struct ContentAssembler {
    /// RabbitMQ takes nothing larger, unless its `max_message_size` is raised: then such a message cannot be read here,
    /// and stays where it is.
    package static let largestBody: UInt64 = 128 << 20

    private var envelope: Envelope?
    private var missing = 0

    package init() {}

    /// Nil while more has to come.
    package mutating func header(_ properties: MessageProperties, bodySize: UInt64) throws(BrokerError) -> Envelope? {
        guard envelope == nil else { throw .unexpected("a message begins within another") }
        guard bodySize <= Self.largestBody else { throw .unexpected("a message of \(bodySize) bytes") }
        if bodySize == 0 { return Envelope(properties: properties, body: []) }
        envelope = Envelope(properties: properties, body: [])
        missing = Int(bodySize)
        return nil
    }

    /// Nil while more has to come.
    package mutating func body(_ bytes: [UInt8]) throws(BrokerError) -> Envelope? {
        guard envelope != nil, bytes.count <= missing else { throw .unexpected("a body that belongs to no message") }
        missing -= bytes.count
        if envelope?.body.isEmpty == true {
            envelope?.body = bytes
            if missing > 0 { envelope?.body.reserveCapacity(bytes.count + missing) }
        } else {
            envelope?.body += bytes
        }
        guard missing == 0 else { return nil }
        defer { envelope = nil }
        return envelope
    }
}
