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
        case handling(Task<Void, Never>)
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
    func closed() { state.withLock { $0.phase = .closed } }

    private func dispatch() -> Bool {
        let (request, match, instruments) = incoming.take()
        let started = state.withLock { state in
            guard !core.isRefusing else { return false }
            // Before the task can answer; and under the lock, so that a stopping server finds every suspended one.
            connection.suspend()
            state.exchange &+= 1
            state.deadline = request.deadline
            state.handlingSince = .now
            state.instruments = instruments
            let exchange = state.exchange
            // Not a child of the server's task: a handler that ignores its cancellation must not keep the server
            // from stopping. The deadline ends it in any case.
            state.phase = .handling(
                Task { [self, responder = core.responder] in
                    answer(await responder.respond(to: request, match: match), for: exchange)
                })
            return true
        }
        return started || refuse(.serviceUnavailable("stopping", "The server is stopping", retryAfter: 1))
    }

    private func refuse(_ error: HTTPError) -> Bool {
        core.count(refusal: error)
        return queue(Response(error), closing: true)
    }

    /// Where the library takes no response from us. Nothing of this request's answer has been sent yet, and all of the
    /// one before has.
    private func refusePastTheLibrary(_ error: HTTPError) {
        core.count(refusal: error)
        incoming.isRefused = true
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
        state.withLock { state in
            guard case .handling = state.phase, state.exchange == exchange else { return }
            answer(response, &state)
        }
    }

    private func answer(_ response: Response, _ state: inout State) {
        state.instruments?.record(response.status, after: state.handlingSince.duration(to: .now))
        state.phase = .answered(response)
        state.deadline = .now + core.configuration.transferTimeout
        connection.resume()
    }

    /// Answers for a handler that has had its time, and cuts a connection whose bytes come or go too slowly.
    func enforceDeadline(_ now: ContinuousClock.Instant) {
        let late: Task<Void, Never>? = state.withLock { state in
            guard state.deadline <= now else { return nil }
            if case .handling(let task) = state.phase {
                answer(Response(.deadlineExceeded), &state)
                return task
            }
            if case .closed = state.phase { return nil }
            // Until the lock is released, the library cannot get past `closed()`: the socket is still this one.
            connection.cut()
            state.deadline = now + core.configuration.transferTimeout
            return nil
        }
        // Outside the lock, because it runs the handler's cancellation handlers.
        late?.cancel()
    }

    /// Answers for the handler that is at work, if any: the server stops.
    func abandon() {
        let late: Task<Void, Never>? = state.withLock { state in
            guard case .handling(let task) = state.phase else { return nil }
            answer(Response(.serviceUnavailable("stopping", "The server is stopping", retryAfter: 1)), &state)
            return task
        }
        late?.cancel()
    }
}

extension HTTPError {
    static let deadlineExceeded = HTTPError.serviceUnavailable(
        "deadline_exceeded", "The answer was not ready in time; repeating is safe", retryAfter: 1)
}
