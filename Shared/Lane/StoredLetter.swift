internal import Messages
internal import Messaging
internal import SQLite

/// A dead letter's message, as the table has it.
struct StoredLetter: Sendable {
    let id: MessageID
    let bucket: Bucket
    let reason: String
    let exchange: String
    let routingKey: String
    let generation: Int
    let firstFailure: Timestamp
    /// What generations can be: a store that was filled by hand may hold anything.
    static let counts = 0...1_000_000
    private let properties: [UInt8]
    private let body: [UInt8]

    /// From the columns id, bucket, reason, exchange, routing_key, generation, first_failure, properties, body.
    init(_ row: borrowing Row, from column: Int) throws {
        id = MessageID(rawValue: try row.text(column))
        bucket = Bucket(try row.int(column + 1)) ?? Bucket.all[0]
        reason = try row.text(column + 2)
        exchange = try row.text(column + 3)
        routingKey = try row.text(column + 4)
        generation = min(max(Self.counts.lowerBound, try row.int(column + 5)), Self.counts.upperBound)
        firstFailure = try row.time(column + 6)
        properties = try row.blob(column + 7)
        body = try row.blob(column + 8)
    }

    var size: Int { properties.count + body.count }

    /// Whether only force replays it: it has been in vain so often, or the process would die of it again and again.
    func isGuarded(mostReplays: Int) -> Bool { generation >= mostReplays || isDeadly }

    var isDeadly: Bool { reason == MessageFault.Reason.crashed.rawValue }

    /// The message as its service publishes it again: under the same id and number, with every property and header, the
    /// broker's own included.
    ///
    /// Left out is what would not bring it to its queue: `expiration`, and `CC` and `BCC`, with which the broker would
    /// carry it elsewhere on the service's account. What was counted by its forwards is forgotten: it goes to its owner.
    ///
    /// - Parameter renewedAt: takes the place of `accepted_at`. Otherwise that is kept, and never later than it failed
    ///   first: what arrived later than it says counts as accepted at its arrival, and must not become newer by a replay.
    func replay(of service: ServiceName, renewedAt: Timestamp? = nil) throws -> Envelope {
        let stored = Envelope(properties: try MessageJSON.decode(MessageProperties.self, from: properties), body: body)
        var copy = stored.reissued(by: service)
        if copy.forwards > 0 { copy.forwards = 0 }
        // A stranger's without an id stays the same message, also once the day is over.
        copy.id = copy.id ?? id
        let accepted = renewedAt ?? min(copy.acceptedAt ?? firstFailure, firstFailure)
        if copy.acceptedAt != accepted { copy.acceptedAt = accepted }
        copy.generation = generation + 1
        return copy
    }
}

extension Envelope {
    /// The message as `service` itself publishes it again: with every property and header, the broker's own included, but
    /// those that would not bring it to its queue or would speak for the service.
    func reissued(by service: ServiceName) -> Envelope {
        var copy = self
        let user = properties.userID
        let isCopy = user == BrokerUser(of: service).rawValue && firstUser != nil
        if !isCopy {
            copy.firstUser = user ?? ""
            copy.properties.headers["generation"] = nil
        }
        copy.properties.userID = nil
        copy.properties.headers.entries.removeAll { $0.name == "CC" || $0.name == "BCC" || $0.name == "condemned" }
        copy.properties.expiration = nil
        copy.properties.deliveryMode = 2
        return copy
    }
}
