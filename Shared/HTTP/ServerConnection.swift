internal import Synchronization

/// One connection of a client, and the request that it is making: there is never more than one at a time.
///
/// ```
/// receiving ─ all there ─▶ handling ─ answer or deadline ─▶ answered ─ queued ─▶ sending ─ sent ─▶ receiving
/// ```
/// While it is *handling*, the library has the connection set aside, and the state decides who resumes it: the
/// handler's task, or the deadline. Whoever comes second finds another phase or another exchange, and is dropped.
final class ServerConnection: Sendable {
    private enum Phase {
        case receiving
        case handling(Task<Void, Never>?)
        case answered(Response)
        case sending
        case closed
    }

    private struct State {
        var phase = Phase.receiving
        /// Counts the requests that were handed to a handler.
        var exchange: UInt64 = 0
        /// When this phase has lasted too long.
        var deadline: ContinuousClock.Instant
        var handlingSince = ContinuousClock.now
        var instruments: RouteInstruments?
    }

    private let connection: DaemonConnection
    // The core outlives all connections: they end with the daemon, which holds it.
    private unowned let core: ServerCore
    private let state: Mutex<State>
    // Touched on the daemon's thread only.
    private nonisolated(unsafe) var incoming = IncomingRequest()
    /// Whether the last request was answered before its body was read.
    private nonisolated(unsafe) var isBodyUnread = false

    init(_ connection: DaemonConnection, core: ServerCore) {
        self.connection = connection
        self.core = core
        state = Mutex(State(deadline: .now + core.configuration.transferTimeout))
    }

    // MARK: On the daemon's thread

    /// A request has begun: its first line is there.
    func begin(target: [UInt8]) {
        core.requestBegan()
        incoming = IncomingRequest(target: target)
        do throws(HTTPError) {
            try incoming.checkSize(core.configuration)
        } catch {
            refusePastTheLibrary(error)
        }
    }

    /// The headers are there, or all is there, or the answer is. `false` ends the connection.
    func proceed(_ head: () -> RequestHead) -> Bool {
        if let answer = takeAnswer() { return queue(answer, closing: core.isStopping) }
        if incoming.isAccepted { return dispatch() }
        guard !incoming.isRefused else { return false }
        do throws(HTTPError) {
            try incoming.accept(head(), peer: connection.peer, core: core)
            return true
        } catch  where error.status == .headerFieldsTooLarge {
            // They may have left the library no memory for a response.
            refusePastTheLibrary(error)
            return false
        } catch {
            isBodyUnread = true
            return refuse(error)
        }
    }

    private func takeAnswer() -> Response? {
        state.withLock { state in
            guard case .answered(let response) = state.phase else { return nil }
            state.phase = .sending
            return response
        }
    }

    /// A piece of the body. `false` ends the connection.
    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        do throws(HTTPError) {
            try core.reserveBodyMemory(piece.count)
            incoming.reservedBytes += piece.count
            try incoming.append(piece)
            return true
        } catch {
            // Nothing can be queued in the middle of a body, and reading on to its end would be what the limit forbids.
            refusePastTheLibrary(error)
            return false
        }
    }

    /// The request is over: answered, refused by the library, or given up by the client.
    func complete() {
        core.releaseBodyMemory(incoming.reservedBytes)
        incoming = IncomingRequest()
        core.requestEnded()
        state.withLock { state in
            state.phase = .receiving
            // Idleness is the library's to end; this bounds how long the next request may trickle in.
            state.deadline = .now + core.configuration.idleTimeout + core.configuration.transferTimeout
        }
    }

    /// The library is about to close the socket.
    func closed() {
        state.withLock { $0.phase = .closed }
        if isBodyUnread { connection.linger() }
    }

    private func dispatch() -> Bool {
        let (request, match, instruments) = incoming.take()
        let exchange: UInt64? = state.withLock { state in
            guard !core.isRefusing else { return nil }
            // Before anybody can answer; and under the lock, so that a stopping server finds every suspended one.
            connection.suspend()
            state.exchange &+= 1
            state.deadline = request.deadline
            state.handlingSince = .now
            state.instruments = instruments
            state.phase = .handling(nil)
            return state.exchange
        }
        guard let exchange else { return refuse(.stopping) }
        // Not a child of the server's task: a handler that ignores its cancellation must not keep the server from
        // stopping. Not under the lock either: the task may be at its end before we are at the next line.
        let task = Task { [self, responder = core.responder] in
            answer(await responder.respond(to: request, match: match), for: exchange)
        }
        let isUnderWay = state.withLock { state in
            guard case .handling = state.phase else { return false }
            state.phase = .handling(task)
            return true
        }
        if !isUnderWay { task.cancel() }
        return true
    }

    private func refuse(_ error: HTTPError) -> Bool {
        core.count(refusal: error)
        incoming.findResponseHeaders(in: core.table)
        return queue(Response(error), closing: true)
    }

    /// Where the library takes no response from us. Nothing of this request's answer has been sent yet, and all of the
    /// one before has.
    private func refusePastTheLibrary(_ error: HTTPError) {
        core.count(refusal: error)
        incoming.isRefused = true
        incoming.findResponseHeaders(in: core.table)
        connection.sendNow(core.withDefaults(Response(error), of: incoming.responseHeaders))
        connection.cut()
    }

    private func queue(_ response: Response, closing: Bool) -> Bool {
        state.withLock { state in
            state.phase = .sending
            state.deadline = .now + core.configuration.transferTimeout
        }
        return connection.queue(
            response, defaults: [incoming.responseHeaders, core.configuration.responseHeaders], closing: closing)
    }

    // MARK: On any thread

    private func answer(_ response: Response, for exchange: UInt64) {
        resumeIf { state in
            guard case .handling = state.phase, state.exchange == exchange else { return false }
            answer(response, &state)
            return true
        }
    }

    private func answer(_ response: Response, _ state: inout State) {
        let now = ContinuousClock.now
        state.instruments?.record(response.status, after: state.handlingSince.duration(to: now))
        state.phase = .answered(response)
        state.deadline = now + core.configuration.transferTimeout
    }

    /// Resumes the connection if `decide` says so: after the lock is released, because the daemon's thread would only
    /// wake up to wait for it; the core knows meanwhile that a connection is still suspended.
    private func resumeIf(_ decide: (inout State) -> Bool) {
        let isToBeResumed = state.withLock { state in
            let isAnswered = decide(&state)
            if isAnswered { core.willResume() }
            return isAnswered
        }
        guard isToBeResumed else { return }
        // Counted on: from the next line on, nothing but this may keep the core.
        let server = core
        connection.resume()
        server.didResume()
    }

    /// Answers for a handler that has had its time, and cuts a connection whose bytes come or go too slowly.
    func enforceDeadline(_ now: ContinuousClock.Instant) {
        var late: Task<Void, Never>?
        resumeIf { state in
            guard state.deadline <= now else { return false }
            switch state.phase {
            case .closed: return false
            case .handling(let task):
                late = task
                answer(Response(.deadlineExceeded), &state)
                return true
            case .receiving, .answered, .sending:
                // Until the lock is released, the library cannot get past `closed()`: the socket is still this one.
                connection.cut()
                state.deadline = now + core.configuration.transferTimeout
                return false
            }
        }
        // Outside the lock, because it runs the handler's cancellation handlers.
        late?.cancel()
    }

    /// Answers for the handler that is at work, if any: the server stops.
    func abandon() {
        var late: Task<Void, Never>?
        resumeIf { state in
            guard case .handling(let task) = state.phase else { return false }
            late = task
            answer(Response(.stopping), &state)
            return true
        }
        late?.cancel()
    }
}

extension HTTPError {
    static let stopping = HTTPError.serviceUnavailable("stopping", "The server is stopping", retryAfter: 1)
    static let deadlineExceeded = HTTPError.serviceUnavailable(
        "deadline_exceeded", "The answer was not ready in time; repeating is safe", retryAfter: 1)
}
