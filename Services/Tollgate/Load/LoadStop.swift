internal import Synchronization

/// Asks a run to end before its time: nothing more is sent, and what was sent has a moment to have its effect.
final class LoadStop: Sendable {
    /// How long a run goes on after it was asked.
    static let grace = Duration.seconds(10)
    /// How long each answer is waited for then.
    static let answerTime = Duration.seconds(2)

    private let moment = Mutex<ContinuousClock.Instant?>(nil)

    func ask() { moment.withLock { $0 = $0 ?? .now } }

    var isAsked: Bool { moment.withLock { $0 != nil } }

    /// `deadline`, or the end of the grace where that comes first.
    func limit(_ deadline: ContinuousClock.Instant) -> ContinuousClock.Instant {
        moment.withLock { $0.map { min(deadline, $0 + Self.grace) } ?? deadline }
    }

    /// Waits until `instant`, or until it is asked.
    func wait(until instant: ContinuousClock.Instant) async throws {
        while !isAsked, .now < instant {
            // Nobody wakes a single task up; whoever asks does not notice so short a time.
            try await Task.sleep(until: min(instant, .now + .milliseconds(50)), tolerance: .zero)
        }
    }

    /// Runs `body`; what it still does at the end of the grace is cancelled.
    func bounding(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                let never = ContinuousClock.now + .seconds(1_000_000_000)
                try await self.wait(until: never)
                try await Task.sleep(until: self.limit(never))
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
