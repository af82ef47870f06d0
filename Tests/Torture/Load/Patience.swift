import Synchronization

/// For how long something that has to happen is waited for: not for ever, once the nemesis has ended. While it is at work
/// nothing is too late: what asks all services at once finds one of them down most times.
final class Patience: Sendable {
    private let calmSince = Mutex<ContinuousClock.Instant?>(nil)
    private static let atRest = Duration.seconds(45)

    init(isCalm: Bool) { if isCalm { begin() } }

    /// The nemesis has ended.
    func begin() { calmSince.withLock { $0 = $0 ?? .now } }

    /// Whether the nemesis has ended.
    var isCalm: Bool { calmSince.withLock { $0 != nil } }

    /// Whether what is waited for since `start` may still come.
    func allows(since start: ContinuousClock.Instant) -> Bool {
        guard let calm = calmSince.withLock({ $0 }) else { return true }
        return ContinuousClock.now - max(start, calm) < Self.atRest
    }
}
