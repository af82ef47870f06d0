import Messaging
internal import Synchronization

/// Deliveries between the connection's thread and the task that takes them. The prefetch bounds it.
final class DeliveryBuffer: Sendable {
    private enum Ending {
        /// No more will come; what is here may be taken.
        case cancelled
        /// What is here comes again, to whoever consumes then.
        case lost(BrokerError)
    }
    private struct State {
        var arrived = FIFO<Delivery>()
        var ending: Ending?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }
    private enum Step {
        case take([Delivery])
        case wait
        case end
        case fail(BrokerError)
    }
    private let state = Mutex(State())

    // MARK: The connection's thread

    func append(_ deliveries: [Delivery]) {
        wake { state in
            for delivery in deliveries { state.arrived.append(delivery) }
        }
    }

    func cancelled() {
        wake { state in
            if state.ending == nil { state.ending = .cancelled }
        }
    }

    func lost(_ error: BrokerError) {
        wake { state in
            // A cancelled consumer's deliveries are lost with their channel as well.
            if case .lost = state.ending { return }
            state.ending = .lost(error)
            state.arrived = FIFO()
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { if !state.waiters.isEmpty { state.waiters = [:] } }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    // MARK: The taker

    /// What has arrived, as ``Subscription/next(upTo:bytes:)`` says.
    func next(upTo count: Int, bytes: Int) async throws(BrokerError) -> [Delivery]? {
        while true {
            switch step(upTo: count, bytes: bytes) {
            case .take(let deliveries): return deliveries
            case .end: return nil
            case .fail(let error): throw error
            case .wait:
                await arrival()
                if Task.isCancelled { return try takenAfterCancellation(upTo: count, bytes: bytes) }
            }
        }
    }

    private func takenAfterCancellation(upTo count: Int, bytes: Int) throws(BrokerError) -> [Delivery]? {
        switch step(upTo: count, bytes: bytes) {
        case .take(let deliveries): return deliveries
        case .fail(let error): throw error
        case .end, .wait: return nil
        }
    }

    private func step(upTo count: Int, bytes: Int) -> Step {
        state.withLock { state in
            if case .lost(let error) = state.ending { return .fail(error) }
            guard !state.arrived.isEmpty else { return state.ending == nil ? .wait : .end }
            var taken: [Delivery] = []
            var size = 0
            while taken.count < max(1, count), !state.arrived.isEmpty, let first = state.arrived[0] {
                size += first.size
                guard taken.isEmpty || size <= bytes else { break }
                taken.append(first)
                _ = state.arrived.popFirst()
            }
            return .take(taken)
        }
    }

    /// Returns once something may have changed, or the task is cancelled.
    private func arrival() async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.arrived.isEmpty || state.ending != nil || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}
