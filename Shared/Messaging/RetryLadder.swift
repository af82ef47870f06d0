public import Messages

/// Where a message waits that cannot be applied for now: each rung once, then the last one again and again, until its
/// time is over.
public struct RetryLadder: Sendable, Hashable {
    /// The rungs, shortest first; not empty.
    public let delays: [RetryDelay]
    /// How long after its first failure a message is given up.
    public let givesUpAfter: Duration

    /// - Parameter delays: shortest first; not empty.
    public init(delays: [RetryDelay] = RetryDelay.standard, givesUpAfter: Duration = .seconds(86_400)) {
        precondition(!delays.isEmpty, "a ladder has rungs")
        self.delays = delays
        self.givesUpAfter = givesUpAfter
    }

    /// The rung for a message that has failed `attempt` times before; nil when it is to be given up.
    public func rung(attempt: Int, firstFailure: Timestamp, now: Timestamp) -> RetryDelay? {
        guard now.since(firstFailure) < givesUpAfter else { return nil }
        return delays[min(max(0, attempt), delays.count - 1)]
    }
}
