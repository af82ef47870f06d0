internal import Crypto
internal import Messages
internal import Messaging

/// Reads `<service>.dead` itself, where what the broker condemns waits while its service is down.
enum DeadStraight {
    static let straight = Flag(
        "--straight", "Read SERVICE.dead at the broker itself, for a service that is down; needs --service")
    static let details = """
        What the broker gave up waits in SERVICE.dead while its service is down; --straight looks there. That queue has one \
        consumer at a time: while the service runs, there is nothing to see. Looking costs: each letter that was looked at \
        goes back to its place with its delivery count raised by one.
        """

    /// What a look has found.
    private struct Found: Sendable {
        var letters: [DeadLetterLine] = []
        /// How many were ready before.
        var ready = 0
    }

    /// How long nothing has to come to be the end, or somebody else's turn.
    private static let silence = Duration.seconds(1)

    static func list(_ arguments: Arguments, in surroundings: Surroundings, limit: Int) async throws -> Output {
        let service = try service(arguments)
        let found = try await look(service, arguments, surroundings, limit: limit)
        let place = Place(service: service, partition: 0)
        let now = Timestamp.now
        var lines = found.letters.map { DeadLetterText.entry($0.letter, at: place, now: now) }
        lines.append(
            "\(found.letters.count) of \(found.ready) in \(service).dead looked at; their delivery counts are one higher now"
        )
        return try Output(lines.joined(separator: "\n"), json: found.letters)
    }

    static func export(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let service = try service(arguments)
        let found = try await look(service, arguments, surroundings, limit: 10_000)
        for line in found.letters { try surroundings.write(line.text) }
        surroundings.tell(
            "\(found.letters.count) of \(found.ready) in \(service).dead; their delivery counts are one higher now")
        return Output(jsonText: "")
    }

    private static func service(_ arguments: Arguments) throws -> ServiceName {
        let named = try arguments.all(DeadSelection.service)
        guard named.count == 1 else { throw arguments.wrong("--straight needs one --service") }
        return named[0]
    }

    /// A page, from the head of the queue. All of it goes back when the connection is closed.
    private static func look(
        _ service: ServiceName, _ arguments: Arguments, _ surroundings: Surroundings, limit: Int
    ) async throws -> Found {
        let options = try BrokerOptions(from: arguments, in: surroundings)
        let connection = surroundings.connect(options.settings)
        let session: any BrokerSession
        do {
            session = try await connection.broker.openSession(named: "tollgate straight")
        } catch {
            throw ToolFailure(error)
        }
        let queue = QueueDeclaration.dead(service).name
        do {
            var found = Found(ready: try await session.ready(in: queue))
            let subscription = try await session.subscribe(to: queue, prefetch: min(limit, 10_000))
            while found.letters.count < min(limit, found.ready) {
                guard let deliveries = try await next(of: subscription, upTo: limit - found.letters.count) else {
                    break
                }
                found.letters += deliveries.map { DeadLetterLine(service: service, partition: 0, letter: letter($0)) }
            }
            await session.close()
            guard !found.letters.isEmpty || found.ready == 0 else {
                throw ToolFailure(
                    .unavailable, "\(queue) holds \(found.ready) messages, and somebody else reads them",
                    advice: "while \(service) runs it moves them into its store: leave out --straight")
            }
            return found
        } catch let error as BrokerError {
            await session.close()
            throw ToolFailure(error)
        }
    }

    /// Nil when nothing comes.
    private static func next(of subscription: any Messaging.Subscription, upTo count: Int) async throws -> [Delivery]? {
        try await withThrowingTaskGroup(of: [Delivery]?.self) { group in
            group.addTask { try await subscription.next(upTo: count, bytes: 32 << 20) }
            group.addTask {
                // The time is what is waited for: a queue does not say that there is no more.
                try? await Task.sleep(for: silence)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// As the service would keep it.
    private static func letter(_ delivery: Delivery) -> DeadLetterView {
        let envelope = delivery.envelope
        let kind = envelope.kind?.rawValue ?? ""
        let digest = Digest.sha256(Array(kind.utf8) + [0] + envelope.body)
        let id = envelope.id ?? MessageID(rawValue: "sha256:" + digest.hexadecimal)
        var letter = DeadLetterView(
            number: Int(clamping: delivery.tag), id: id, bucket: Bucket(of: envelope.key ?? id.rawValue).number,
            kind: kind, key: envelope.key, reason: MessageFault.Reason.condemned.rawValue, step: "delivery",
            text: "Given up by the broker, or put there by its publisher; not yet moved into the store", version: "",
            exchange: delivery.exchange, routingKey: delivery.routingKey, attempts: envelope.attempt + 1,
            generation: envelope.generation, firstFailure: envelope.firstFailure ?? .now, lastFailure: .now,
            size: envelope.body.count)
        letter.properties = envelope.properties
        letter.body = Octets(envelope.body)
        return letter
    }
}
