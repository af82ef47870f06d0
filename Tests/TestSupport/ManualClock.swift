package import Messages
import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Sendable {
    private let time: Mutex<Timestamp>

    /// 2026-11-30T08:15:00Z unless told otherwise.
    package init(_ start: Timestamp = Timestamp(clamping: 1_796_026_500_000)) { time = Mutex(start) }

    package var now: Timestamp { time.withLock { $0 } }

    package func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}
