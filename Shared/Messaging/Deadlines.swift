internal import Synchronization

/// Tells those who wait when their time is up: one timer for all of them, however many they are, for most never need it.
final class Deadlines: Sendable {
    private struct Waiter {
        let deadline: ContinuousClock.Instant
        let expire: @Sendable () -> Void
    }
    private struct State {
        var waiters: [UInt64: Waiter] = [:]
        var lastID: UInt64 = 0
        /// When the timer rings next; nil: there is none.
        var timerAt: ContinuousClock.Instant?
    }

    /// Not sooner than this after the last time, so that many deadlines do not make as many alarms.
    private static let granularity = Duration.milliseconds(2)

    private let state = Mutex(State())

    /// Calls `expire` once the time has come, unless ``remove(_:)`` was called before.
    func add(_ deadline: ContinuousClock.Instant, _ expire: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, needsTimer) = state.withLock { state in
            state.lastID &+= 1
            state.waiters[state.lastID] = Waiter(deadline: deadline, expire: expire)
            return (state.lastID, Self.sets(&state, deadline))
        }
        if needsTimer { ring(at: deadline) }
        return id
    }

    /// Nobody waits any more.
    func remove(_ id: UInt64) {
        state.withLock { $0.waiters[id] = nil }
    }

    private static func sets(_ state: inout State, _ deadline: ContinuousClock.Instant) -> Bool {
        if let timerAt = state.timerAt, timerAt <= deadline { return false }
        state.timerAt = deadline
        return true
    }

    private func ring(at time: ContinuousClock.Instant) {
        // Nobody waits for a timer: whoever added the deadline goes on, and it does nothing once this is gone.
        Task { [weak self] in
            try? await Task.sleep(until: time, clock: .continuous)
            self?.ringing(at: time)
        }
    }

    private func ringing(at time: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let (due, next) = state.withLock { state in
            // Another timer, for an earlier time, has taken its place.
            guard state.timerAt == time else { return ([Waiter](), nil as ContinuousClock.Instant?) }
            state.timerAt = nil
            let due = state.waiters.filter { $0.value.deadline <= now }
            for id in due.keys { state.waiters[id] = nil }
            let next = state.waiters.values.map(\.deadline).min().map { max($0, now + Self.granularity) }
            state.timerAt = next
            return (Array(due.values), next)
        }
        for waiter in due { waiter.expire() }
        if let next { ring(at: next) }
    }
}
