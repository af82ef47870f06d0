public import Messages
public import ServiceKit
internal import Synchronization

/// Why a question got no answer.
public enum RequestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Nobody owns the partition at the moment.
    case noOwner
    /// It could not be sent, or the broker did not say that it has it.
    case unavailable(PublishOutcome)
    /// The connection on which the answer would have come is gone.
    case disconnected
    /// The answer did not come in time.
    case deadline
    /// The answer is not what was asked for.
    case undecodable(String)

    /// What happened.
    public var description: String {
        switch self {
        case .noOwner: "Nobody answers for this partition: its service is not running"
        case .unavailable(let outcome): "The broker did not take the question: \(outcome)"
        case .disconnected: "The connection to the broker was lost"
        case .deadline: "No answer came in time"
        case .undecodable(let why): "The answer cannot be read: \(why)"
        }
    }
}

/// Asks services and waits for their answers, on a reply queue of its own.
///
/// As a service it keeps that queue: declares it again whenever the connection was lost. A question asked before it
/// stands waits for it, within its deadline.
public final class Requester: Service {
    private enum Queue {
        case none(waiting: [OneShot<String>])
        case ready(String)
    }
    private struct State {
        var queue = Queue.none(waiting: [])
        var pending: [String: OneShot<[UInt8]>] = [:]
    }

    private let name: String
    private let broker: any Broker
    private let publisher: any Publisher
    private let state = Mutex(State())
    private let deadlines = Deadlines()

    /// - Parameters:
    ///   - user: who asks; begins the queue's name, for which he has permission.
    ///   - publisher: sends the questions; the broker's own unless given.
    public init(user: BrokerUser, broker: any Broker, publisher: (any Publisher)? = nil) {
        name = "replies.\(user)-\(MessageID(at: .now).rawValue)"
        self.broker = broker
        self.publisher = publisher ?? broker.publisher
    }

    /// Keeps the reply queue until cancelled.
    public func run() async throws {
        var wait = Duration.milliseconds(50)
        while !Task.isCancelled {
            // Whatever ended it, a broker that is away or an operator that deleted the queue: it is made again.
            try? await keepQueue { wait = .milliseconds(50) }
            lose()
            // A broker that takes no queue now is not asked all the time; nothing tells when it does.
            try? await Task.sleep(for: wait)
            wait = min(wait * 2, .seconds(5))
        }
    }

    private func keepQueue(_ stands: () -> Void) async throws(BrokerError) {
        let session = try await broker.openSession(named: name)
        do {
            try await session.declareExclusive(queue: name, bindings: [])
            let replies = try await session.subscribe(to: name, prefetch: 1024)
            stands()
            let waiting = state.withLock { state in
                defer { state.queue = .ready(name) }
                if case .none(let waiting) = state.queue { return waiting }
                return []
            }
            for one in waiting { one.complete(.success(name)) }
            while !Task.isCancelled, let deliveries = try await replies.next(upTo: 256, bytes: 16 << 20) {
                await replies.settle(deliveries, .acknowledge)
                for delivery in deliveries { take(delivery.envelope) }
            }
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }

    private func take(_ reply: Envelope) {
        guard let correlation = reply.properties.correlationID else { return }
        state.withLock { $0.pending.removeValue(forKey: correlation) }?.complete(.success(reply.body))
    }

    /// The queue has gone, and with it every answer that was on its way.
    private func lose() {
        let pending = state.withLock { state in
            if case .ready = state.queue { state.queue = .none(waiting: []) }
            defer { state.pending = [:] }
            return state.pending
        }
        for one in pending.values { one.complete(.failure(.disconnected)) }
    }

    /// Asks a query.
    public func ask<Q: Query>(_ query: Q, within limit: Duration) async throws(RequestError) -> Answer<Q.Value> {
        try await answer(to: query, by: .query(Q.recipient, query.bucket), within: limit)
    }

    /// Makes a request.
    public func request<R: Request>(_ request: R, within limit: Duration) async throws(RequestError) -> Answer<R.Value>
    {
        try await answer(to: request, by: .query(R.recipient, request.bucket), within: limit)
    }

    /// Sends a command and waits until it has been applied or refused.
    ///
    /// - Parameters:
    ///   - person: who has it done, for the audit trail.
    ///   - cause: what it is one step of.
    /// - Throws: also ``RequestError/deadline`` for a command that is applied later: it is durable.
    public func command<C: Command>(
        _ command: C, for person: String? = nil, cause: MessageID? = nil, within limit: Duration
    ) async throws(RequestError) -> Answer<C.Value> {
        try await answer(
            to: command, by: .command(C.recipient, command.bucket), for: person, cause: cause, within: limit)
    }

    private func answer<M: AddressedMessage>(
        to message: M, by route: Route, for person: String? = nil, cause: MessageID? = nil, within limit: Duration
    ) async throws(RequestError) -> Answer<M.Value> {
        let body: [UInt8]
        do {
            body = try MessageJSON.encode(message)
        } catch {
            throw .undecodable("\(error)")
        }
        let reply = try await ask(M.kind, body, key: message.key, by: route, within: limit) { envelope in
            (envelope.by, envelope.cause) = (person, cause)
        }
        do {
            return try MessageJSON.decode(Answer<M.Value>.self, from: reply)
        } catch {
            throw .undecodable("\(error)")
        }
    }

    /// Asks anything: the body of the answer, as it came.
    public func ask(
        _ kind: MessageKind, _ body: [UInt8], key: String? = nil, by route: Route, within limit: Duration
    ) async throws(RequestError) -> [UInt8] {
        try await ask(kind, body, key: key, by: route, within: limit) { _ in }
    }

    private func ask(
        _ kind: MessageKind, _ body: [UInt8], key: String?, by route: Route, within limit: Duration,
        with addition: (inout Envelope) -> Void
    ) async throws(RequestError) -> [UInt8] {
        let deadline = ContinuousClock.now + limit
        let queue = try await readyQueue(until: deadline)
        let id = MessageID(at: .now)
        var envelope = Envelope(kind: kind, id: id, body: body)
        envelope.key = key
        envelope.acceptedAt = .now
        envelope.traceparent = TraceContext.current?.traceparent
        envelope.properties.replyTo = queue
        envelope.properties.correlationID = id.rawValue
        addition(&envelope)
        if route.exchange == .queries {
            envelope.properties.deliveryMode = 1
            // Beyond it nobody waits for an answer: the broker throws away what is not taken by then, and whoever takes
            // it works no longer than that.
            envelope.properties.expiration = String(min(max(1, (deadline - .now).wholeMilliseconds), 1 << 31))
        }

        let reply = OneShot<[UInt8]>()
        state.withLock { $0.pending[id.rawValue] = reply }
        defer { _ = state.withLock { $0.pending.removeValue(forKey: id.rawValue) } }
        switch await publisher.publish(Publication(envelope, to: route, isMandatory: true), deadline: deadline) {
        case .confirmed: break
        case .returned: throw .noOwner
        case let outcome: throw .unavailable(outcome)
        }
        return try await reply.value(until: deadline, by: deadlines)
    }

    private func readyQueue(until deadline: ContinuousClock.Instant) async throws(RequestError) -> String {
        let one = OneShot<String>()
        let ready = state.withLock { state in
            switch state.queue {
            case .ready(let queue): return queue as String?
            case .none(let waiting):
                state.queue = .none(waiting: waiting.filter { !$0.isComplete } + [one])
                return nil
            }
        }
        if let ready { return ready }
        return try await one.value(until: deadline, by: deadlines)
    }
}

/// A value that comes once, or not in time.
private final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Result<Value, RequestError>, Never>)
        case complete(Result<Value, RequestError>)
    }
    private let state = Mutex(State.open)

    var isComplete: Bool {
        state.withLock { if case .complete = $0 { true } else { false } }
    }

    /// The first completion counts.
    func complete(_ result: Result<Value, RequestError>) {
        let continuation: CheckedContinuation<Result<Value, RequestError>, Never>? = state.withLock { state in
            defer {
                if case .complete = state {} else { state = .complete(result) }
            }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: result)
    }

    /// Called once.
    func value(
        until deadline: ContinuousClock.Instant, by deadlines: Deadlines
    ) async throws(RequestError) -> Value {
        let timer = deadlines.add(deadline) { self.complete(.failure(.deadline)) }
        defer { deadlines.remove(timer) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Result<Value, RequestError>? = state.withLock { state in
                    if case .complete(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            complete(.failure(.deadline))
        }
        return try result.get()
    }
}
