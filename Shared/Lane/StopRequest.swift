internal import Synchronization

/// Says once that work is to end in order. Unlike a cancelled task, whoever hears it can still wait for things.
final class StopRequest: Sendable {
    private struct State {
        var isRequested = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
    }
    private let state = Mutex(State())

    var isRequested: Bool { state.withLock { $0.isRequested } }

    func request() {
        let waiting = state.withLock { state in
            state.isRequested = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Returns when the stop is requested, or the task is cancelled.
    func wait() async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goOn = state.withLock { state in
                    if state.isRequested || Task.isCancelled { return true }
                    state.waiting[ticket] = continuation
                    return false
                }
                if goOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }

    /// Sleeps, unless a stop is requested meanwhile.
    func sleep(for duration: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: duration) }
            group.addTask { await self.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}
