internal import Dispatch

/// Calls once a time has come, on a thread of Dispatch: however the connection's own thread is held up, callers get
/// their answer.
final class DeadlineTimer: Sendable {
    /// Not earlier than this after the last call, so that thousands of deadlines do not make thousands of calls.
    static let granularity = Duration.milliseconds(5)

    // Sendable by hand: a Dispatch source may be used from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceTimer

    /// - Parameter handler: called once each time it is set.
    init(handler: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: .global())
        source.setEventHandler(handler: handler)
        source.resume()
    }

    deinit { source.cancel() }

    /// Replaces what was set before.
    func set(in duration: Duration) {
        let nanoseconds = max(duration, Self.granularity) / .nanoseconds(1)
        source.schedule(deadline: .now() + .nanoseconds(Int(min(nanoseconds, 1e18))), leeway: .milliseconds(1))
    }
}
