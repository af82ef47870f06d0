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

    /// How many letters a look reaches: all that were looked at are held back until it ends.
    private static let most = 10_000

    /// How long nothing has to come to be the end, or somebody else's turn.
    private static let silence = Duration.seconds(1)

    static func list(_ arguments: Arguments, in surroundings: Surroundings, limit: Int) async throws -> Output {
        let service = try service(arguments)
        var letters: [DeadLetterLine] = []
        let ready = try await look(service, arguments, surroundings, limit: limit) { letters += $0 }
        let place = Place(service: service, partition: 0)
        let now = Timestamp.now
        var lines = letters.map { DeadLetterText.entry($0.letter, at: place, now: now) }
        lines.append(
            "\(letters.count) of \(ready) in \(service).dead looked at; their delivery counts are one higher now")
        let entries = letters.map {
            DeadList.Page.Entry(service: $0.service, partition: $0.partition, letter: $0.letter)
        }
        return try Output(
            lines.joined(separator: "\n"), json: DeadList.Page(letters: entries, silent: [], ready: ready))
    }

    static func export(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let service = try service(arguments)
        var count = 0
        let ready = try await look(service, arguments, surroundings, limit: most) { letters in
            count += letters.count
            for line in letters { try surroundings.write(line.text) }
        }
        surroundings.tell(
            "\(count) of \(ready) in \(service).dead; their delivery counts are one higher now")
        // What is not all of it must not look like it.
        return Output(jsonText: "", status: count < ready ? .failed : .success)
    }

    private static func service(_ arguments: Arguments) throws -> ServiceName {
        let named = try arguments.all(DeadSelection.service)
        guard named.count == 1 else { throw arguments.wrong("--straight needs one --service") }
        let others = DeadSelection.options + [DeadList.after, DeadList.discarded, DeadList.names]
        if let other = others.first(where: { $0.name != DeadSelection.service.name && arguments.isSet($0) }) {
            throw arguments.wrong("--straight shows what waits there as it comes: \(other.name) does not go with it")
        }
        return named[0]
    }

    /// A page, from the head of the queue. All of it goes back when the connection is closed.
    ///
    /// - Returns: how many were ready before.
    private static func look(
        _ service: ServiceName, _ arguments: Arguments, _ surroundings: Surroundings, limit: Int,
        _ visit: ([DeadLetterLine]) throws -> Void
    ) async throws -> Int {
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
            let ready = try await session.ready(in: queue)
            let subscription = try await session.subscribe(to: queue, prefetch: min(limit, most))
            var count = 0
            while count < min(limit, ready) {
                guard let deliveries = try await next(of: subscription, upTo: limit - count) else { break }
                count += deliveries.count
                try visit(
                    deliveries.map { DeadLetterLine(service: service, partition: 0, letter: letter($0, of: service)) })
            }
            await session.close()
            guard count > 0 || ready == 0 else {
                throw ToolFailure(
                    .unavailable, "\(queue) holds \(ready) messages, and somebody else reads them",
                    advice: "while \(service) runs it moves them into its store: leave out --straight")
            }
            return ready
        } catch {
            await session.close()
            throw (error as? BrokerError).map { ToolFailure($0) } ?? error
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
    private static func letter(_ delivery: Delivery, of service: ServiceName) -> DeadLetterView {
        let envelope = delivery.envelope
        let kind = envelope.kind?.rawValue ?? ""
        let digest = Digest.sha256(Array(kind.utf8) + [0] + envelope.body)
        let id = envelope.id ?? MessageID(rawValue: "sha256:" + digest.hexadecimal)
        let isCopy = envelope.properties.userID == BrokerUser(of: service).rawValue && envelope.firstUser != nil
        var letter = DeadLetterView(
            number: Int(clamping: delivery.tag), id: id, bucket: Bucket(of: envelope.key ?? id.rawValue).number,
            kind: kind, key: envelope.key, reason: MessageFault.Reason.condemned.rawValue, step: "delivery",
            text: "Given up by the broker, or put there by its publisher; not yet moved into the store", version: "",
            exchange: delivery.exchange, routingKey: delivery.routingKey, attempts: envelope.attempt + 1,
            generation: isCopy ? envelope.generation : 0, firstFailure: envelope.firstFailure ?? .now,
            lastFailure: .now,
            size: envelope.body.count)
        letter.properties = envelope.properties
        letter.body = Octets(envelope.body)
        return letter
    }
}
