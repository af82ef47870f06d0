internal import JSON
package import Messages
internal import Messaging

/// What an edge does with the events of one kind.
package struct EventIntake: Sendable {
    let kind: MessageKind
    private let owner: ServiceName
    private let decode: @Sendable ([UInt8]) throws -> Void

    /// - Parameter take: keeps what it is about; may be given one twice.
    package init<E: Event>(_ take: @escaping @Sendable (E) -> Void) {
        kind = E.kind
        owner = E.owner
        decode = { take(try JSONCoding.decode(E.self, from: $0)) }
    }

    /// - Throws: for an event that is not its owner's, or cannot be read.
    func take(_ envelope: Envelope) throws {
        // Whoever could make an edge believe in a key could read every user.
        guard envelope.properties.userID == owner.rawValue else {
            throw MessageFault.forever(.notFromOwner, "published by \(envelope.properties.userID ?? "nobody")")
        }
        try decode(envelope.body)
    }
}
