internal import Synchronization

/// The moment from which a run counts its time; before it, no time has passed.
final class LoadStart: Sendable {
    private let moment = Mutex<ContinuousClock.Instant?>(nil)

    func begin() { moment.withLock { $0 = .now } }

    var elapsed: Duration { moment.withLock { $0.map { .now - $0 } } ?? .zero }

    /// The moment at which `time` has passed.
    func instant(at time: Duration) -> ContinuousClock.Instant { moment.withLock { $0 ?? .now } + time }
}
