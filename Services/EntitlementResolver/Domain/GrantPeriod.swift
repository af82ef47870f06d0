package import Messages

/// A span of time.
package struct GrantPeriod: Hashable, Sendable {
    package var start: Timestamp
    /// Not part of it; nil: never ends.
    package var end: Timestamp?

    package init(start: Timestamp, end: Timestamp?) {
        self.start = start
        self.end = end
    }

    package func contains(_ time: Timestamp) -> Bool {
        guard start <= time else { return false }
        guard let end else { return true }
        return time < end
    }
}

/// When a chain was paid for, or was not taken away all the same, in any environment.
package struct Activity: Hashable, Sendable {
    private var periods: [GrantPeriod]

    package init(of subscriptions: some Sequence<Subscription>) {
        periods = subscriptions.flatMap(\.grants).map(\.period)
    }

    /// Of a chain without evidence.
    package static let none = Activity(of: [])

    package func isActive(at time: Timestamp) -> Bool { periods.contains { $0.contains(time) } }
}
