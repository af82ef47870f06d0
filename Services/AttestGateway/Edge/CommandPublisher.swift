internal import HTTP
package import Messages
package import Messaging
package import ServiceKit

/// Sends a command and waits for the broker's word: what is confirmed is stored, and cannot be lost any more.
package struct CommandPublisher: Sendable {
    private let publisher: any Publisher
    private let deadline: Duration
    private let logger: Logger
    private let outcomes: OutcomeCounters
    /// By service and bucket, so that no request puts a routing key together.
    private let routes: [ServiceName: [Route]]

    /// - Parameter deadline: how long the broker may take.
    package init(publisher: any Publisher, deadline: Duration, logger: Logger, metrics: MetricsRegistry) {
        self.publisher = publisher
        self.deadline = deadline
        self.logger = logger
        outcomes = OutcomeCounters(
            "tollgate_edge_commands_total", "Commands of the edge by their fate", in: metrics)
        routes = Dictionary(
            uniqueKeysWithValues: ServiceName.all.map { service in
                (service, Bucket.all.map { Route.command(service, $0) })
            })
    }

    /// Returns when the broker has confirmed it.
    ///
    /// - Throws: 503 when it is not known to be accepted.
    package func publish<C: Command>(_ command: C, id: MessageID, acceptedAt: Timestamp) async throws {
        try await publish([(command, id)], acceptedAt: acceptedAt)
    }

    /// Returns when the broker has confirmed all of them.
    ///
    /// - Throws: 503 when one of them is not known to be accepted; others may be.
    package func publish<C: Command>(_ commands: [(command: C, id: MessageID)], acceptedAt: Timestamp) async throws {
        let publications = try commands.map { command, id in
            Publication(
                try envelope(of: command, id: id, acceptedAt: acceptedAt), to: route(of: command), isMandatory: true)
        }
        let outcomes = await publisher.publish(publications, deadline: .now + deadline)
        for outcome in outcomes { self.outcomes.count(outcome) }
        guard let failure = outcomes.first(where: { $0 != .confirmed }) else { return }
        logger.debug("not accepted", ["kind": .string(C.kind.rawValue), "outcome": .string("\(failure)")])
        // A broker that is short of memory or disk is not well again within a second.
        let seconds = outcomes.contains(.notSent(.blocked)) ? 5 : 1
        throw HTTPError.serviceUnavailable(
            "not_accepted", "Not known to be accepted; repeating the same request is safe", retryAfter: seconds)
    }

    private func envelope<C: Command>(of command: C, id: MessageID, acceptedAt: Timestamp) throws -> Envelope {
        var envelope = Envelope(kind: C.kind, id: id, body: try MessageJSON.encode(command))
        envelope.properties.appID = ServiceName.attestGateway.rawValue
        envelope.properties.timestamp = UInt64(max(0, acceptedAt.millisecondsSince1970 / 1000))
        envelope.key = command.key
        envelope.acceptedAt = acceptedAt
        envelope.traceparent = TraceContext.current?.traceparent
        return envelope
    }

    private func route<C: Command>(of command: C) -> Route {
        let bucket = command.bucket
        return routes[C.recipient]?[bucket.number] ?? .command(C.recipient, bucket)
    }
}
