internal import FoundationEssentials
internal import Messages
internal import Messaging

/// A kind of message that load is made of. To add one: a file in `Kinds/` that makes its messages, and a line in ``all``.
package struct LoadKind: Sendable {
    /// Through which door a run goes.
    package enum Door: String, Sendable, CaseIterable {
        /// The edge, as phones and stores do.
        case http
        /// Straight onto the queues, as a stranger does.
        case queues
    }

    /// As the mix names it.
    package let name: String
    /// How often it comes unless the mix says otherwise, beside the others.
    let share: Int
    /// Through which doors it can go.
    let doors: Set<Door>
    /// Makes one; nil: there is nothing to say at the moment, as long as nobody has bought.
    let make: @Sendable (inout LoadWorld, Door) throws -> LoadMessage?

    /// Every kind of this release.
    package static let all = [
        identify, attribute, renewal, notification, receipt, verify, paywall, impression, events,
    ]
}

extension LoadMessage {
    /// A POST to a route of the edge.
    static func post(
        _ path: String, _ body: some Encodable, _ purpose: Purpose, headers: [String: String] = [:]
    ) throws -> LoadMessage {
        LoadMessage(
            kind: 0, way: .http(path: path, headers: headers, body: try MessageJSON.encode(body)), purpose: purpose)
    }

    /// A command, as whoever may publish commands sends it.
    static func command<C: Command>(_ command: C, _ purpose: Purpose) throws -> LoadMessage {
        var envelope = Envelope(kind: C.kind, id: MessageID(at: .now), body: try MessageJSON.encode(command))
        envelope.key = command.key
        let route = Route.command(C.recipient, command.bucket)
        return LoadMessage(kind: 0, way: .queue(Publication(envelope, to: route, isMandatory: true)), purpose: purpose)
    }
}
