internal import Synchronization

/// The moment from which a run counts its time; before it, no time has passed.
final class LoadStart: Sendable {
    private struct State {
        var first: ContinuousClock.Instant?
        var last: ContinuousClock.Instant?
    }
    private let state = Mutex(State())

    func begin() { state.withLock { $0.first = .now } }

    /// The last message is on its way.
    func noteLast() { state.withLock { $0.last = .now } }

    var elapsed: Duration { state.withLock { $0.first.map { .now - $0 } } ?? .zero }

    /// How long messages were sent.
    var sendingTook: Duration {
        state.withLock { state in state.first.map { (state.last ?? .now) - $0 } } ?? .zero
    }

    /// The moment at which `time` has passed.
    func instant(at time: Duration) -> ContinuousClock.Instant { state.withLock { $0.first ?? .now } + time }
}
