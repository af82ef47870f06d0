internal import Messages
internal import Messaging
internal import ServiceKit

/// Asks the services of an installation, as long as one command lasts.
struct Conversation: Sendable {
    private let requester: Requester
    private let session: any BrokerSession
    /// How long an answer is waited for.
    var limit: Duration
    /// Who has commands done.
    private let by: String
    /// Names all that this one does in the audit trail.
    private let run = MessageID(at: .now)

    /// How long the news of an app may take to reach every partition of a service that is running.
    private static let newsTakes = Duration.seconds(2)

    /// How long a service may take to answer, as an option of every command that asks one.
    static let timeout = Option<Duration>(
        "--timeout", "DURATION", "How long to wait for an answer", expectation: "a duration such as 5s",
        default: "10s", parse: Duration.init(settingText:))

    /// Options of every command that asks a service.
    static let options: [any OptionDescription] = BrokerOptions.all + [timeout]

    /// Connects, lends the conversation, and closes it in order.
    ///
    /// - Throws: ``ToolFailure`` when there is no broker; else what `body` throws.
    static func open<Value: Sendable>(
        _ arguments: Arguments, in surroundings: Surroundings,
        _ body: @Sendable (Conversation, BrokerOptions) async throws -> Value
    ) async throws -> Value {
        let options = try BrokerOptions(from: arguments, in: surroundings)
        let limit = try arguments.value(of: timeout)
        let by = try OperatorOptions.name(from: arguments, in: surroundings)
        let connection = surroundings.connect(options.settings)
        // A connection of its own says at once what is wrong; the requester would go on trying.
        let session: any BrokerSession
        do {
            session = try await connection.broker.openSession(named: "tollgate")
        } catch {
            throw ToolFailure(error)
        }
        let requester = Requester(user: .operatorTool, broker: connection.broker)
        let result = await withTaskGroup(of: Void.self) { group in
            if let service = connection.service { group.addTask { try? await service.run() } }
            group.addTask { try? await requester.run() }
            defer { group.cancelAll() }
            do {
                let conversation = Conversation(requester: requester, session: session, limit: limit, by: by)
                return Result<Value, any Error>.success(try await body(conversation, options))
            } catch {
                return .failure(error)
            }
        }
        await session.close()
        return try result.get()
    }

    /// How many messages are ready in `queue` at this moment; nil where there is no such queue.
    func ready(in queue: String) async throws(ToolFailure) -> Int? {
        do {
            return try await session.ready(in: queue)
        } catch .missing {
            return nil
        } catch {
            throw ToolFailure(error)
        }
    }

    /// Asks a query.
    func ask<Q: Query>(_ query: Q) async throws(ToolFailure) -> Q.Value {
        do {
            return try Self.value(
                of: try await onceConnected { limit throws(RequestError) in
                    try await requester.ask(query, within: limit)
                }, from: Q.recipient)
        } catch let error as RequestError {
            throw ToolFailure(error, asking: Q.recipient, isDurable: false)
        } catch {
            throw error as? ToolFailure ?? ToolFailure(.failed, "\(error)")
        }
    }

    /// Sends a command and waits until it has been applied or refused.
    ///
    /// An app that was connected a moment ago is news that may still be on its way to the service: asked again for
    /// ``newsTakes``, once the registry has said that there is one, for each time counts as a refusal.
    func command<C: Command>(_ command: C) async throws(ToolFailure) -> C.Value {
        do {
            var isThere: Bool?
            let answer = try await onceNewsHasCome {
                try await onceConnected { limit throws(RequestError) in
                    try await requester.command(command, for: by, cause: run, within: limit)
                }
            } isMissing: { answer in
                guard case .refused(let refusal) = answer, refusal.reason == Refusal.appUnknown.reason else {
                    return false
                }
                // Without a registry that answers it is asked again all the same.
                if isThere == nil {
                    let apps = try? await apps()
                    isThere = apps?.contains { Key.app($0.organisation, $0.app) == command.key } ?? true
                }
                return isThere ?? true
            }
            return try Self.value(of: answer, from: C.recipient)
        } catch let error as RequestError {
            throw ToolFailure(error, asking: C.recipient, isDurable: true)
        } catch {
            throw error as? ToolFailure ?? ToolFailure(.failed, "\(error)")
        }
    }

    /// Asks one partition of a service, which need not be the one that owns a key.
    ///
    /// - Throws: `RequestError`, or the refusal of the service.
    func ask<Value: Codable & Sendable>(
        _ kind: MessageKind, _ body: some Encodable, of service: ServiceName, partition: Int, as type: Value.Type
    ) async throws -> Value {
        switch try await answer(kind, body, of: service, partition: partition, as: type) {
        case .applied(let value): return value
        case .refused(let refusal), .failed(let refusal): throw refusal
        }
    }

    /// The same, for whoever makes a difference between a no and what could not be said now.
    ///
    /// - Throws: `RequestError`.
    func answer<Value: Codable & Sendable>(
        _ kind: MessageKind, _ body: some Encodable, of service: ServiceName, partition: Int, as type: Value.Type
    ) async throws -> Answer<Value> {
        guard let bucket = Bucket(partition) else { throw RequestError.noOwner }
        let question = try MessageJSON.encode(body)
        let reply = try await onceConnected { limit throws(RequestError) in
            try await requester.ask(kind, question, by: .query(service, bucket), within: limit)
        }
        return try MessageJSON.decode(Answer<Value>.self, from: reply)
    }

    /// Asks again for ``newsTakes`` while the answer misses what may still be on its way to the service.
    func onceNewsHasCome<Answer>(
        _ ask: () async throws -> Answer, isMissing: (Answer) async -> Bool
    ) async throws -> Answer {
        let patience = ContinuousClock.now + min(limit, Self.newsTakes)
        while true {
            let answer = try await ask()
            guard ContinuousClock.now < patience, !Task.isCancelled, await isMissing(answer) else { return answer }
            // Nothing tells the tool when the news has come. Cancelled, the loop ends.
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Tries again what was not sent because the connection does not stand yet.
    private func onceConnected<Value>(
        _ body: (Duration) async throws(RequestError) -> Value
    ) async throws(RequestError) -> Value {
        let deadline = ContinuousClock.now + limit
        while true {
            do {
                return try await body(deadline - .now)
            } catch .unavailable(.notSent(.disconnected)) where ContinuousClock.now < deadline && !Task.isCancelled {
                // Publishing says whether the connection stands, and nothing else does. Cancelled, the loop ends.
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// What was answered.
    static func value<Value>(of answer: Answer<Value>, from service: ServiceName) throws(ToolFailure) -> Value {
        switch answer {
        case .applied(let value): return value
        case .refused(let refusal):
            throw ToolFailure(.failed, "\(service) says no: \(refusal)", advice: refusal.advice, refusal: refusal)
        case .failed(let refusal):
            throw ToolFailure(.unavailable, "\(service) could not say now: \(refusal)", advice: "try again")
        }
    }
}

extension ToolFailure {
    /// What it means that `service` did not answer.
    init(_ error: RequestError, asking service: ServiceName, isDurable: Bool) {
        let isRunning = "is \(service) running, and ready? Its /readyz says"
        switch error {
        case .noOwner where isDurable:
            self.init(
                .unavailable, "no queue of \(service) takes it", advice: "tollgate topology apply makes the queues")
        case .noOwner:
            self.init(.unavailable, "no \(service) answers: nobody owns the partition", advice: isRunning)
        case .deadline where isDurable:
            self.init(
                .unavailable, "\(service) has not answered yet: it is applied as soon as it runs, or already",
                advice: isRunning)
        case .deadline:
            self.init(.unavailable, "\(service) did not answer in time", advice: isRunning)
        case .unavailable(.notSent(.blocked)):
            self.init(
                .unavailable, "the broker is short of memory or disk, and takes nothing",
                advice: "rabbitmqctl status names the alarm")
        case .unavailable, .disconnected:
            self.init(.unavailable, "\(error)", advice: "repeating it is safe")
        case .undecodable:
            self.init(
                .failed, "\(service): \(error)", advice: "are the tool and the service of one release?")
        }
    }
}
