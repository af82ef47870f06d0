/// One question that many ask at about the same time: it is put once for all who wait.
///
/// Every caller gets the answer to a question that was begun after he came. Questions follow each other at a distance
/// that grows with what they cost, so that no number of callers makes them a burden.
actor RepeatedQuestion {
    private let ask: @Sendable () async -> Bool
    private let distance: Duration
    private let clock = ContinuousClock()
    /// Begun: too early for whoever comes now.
    private var current: Task<Bool, Never>?
    /// Not begun yet.
    private var next: Task<Bool, Never>?
    private var earliest = ContinuousClock.now

    /// - Parameters:
    ///   - distance: from one question's beginning to the next one's, at least.
    ///   - ask: whether it was answered; has a deadline of its own.
    init(distance: Duration, _ ask: @escaping @Sendable () async -> Bool) {
        self.distance = distance
        self.ask = ask
    }

    /// Whether a question that was begun after this call was answered.
    func answer() async -> Bool {
        if let next { return await next.value }
        // Not a child of the caller's task: others wait for it too, and it ends by its own deadline.
        let task = Task { [current] in
            _ = await current?.value
            return await put()
        }
        next = task
        return await task.value
    }

    private func put() async -> Bool {
        if clock.now < earliest { try? await clock.sleep(until: earliest) }
        current = next
        next = nil
        let start = clock.now
        let isAnswered = await ask()
        // A large registry that answers slowly is asked for a tenth of the time at most.
        earliest = start + max(distance, min(start.duration(to: clock.now) * 10, .seconds(1)))
        return isAnswered
    }
}
