import Synchronization

/// For how long something that has to happen is waited for: long while the nemesis is at work, less once it has ended.
final class Patience: Sendable {
    private let calmSince = Mutex<ContinuousClock.Instant?>(nil)
    private static let inTrouble = Duration.seconds(240)
    private static let atRest = Duration.seconds(45)

    init(isCalm: Bool) { if isCalm { begin() } }

    /// The nemesis has ended.
    func begin() { calmSince.withLock { $0 = $0 ?? .now } }

    /// Whether what is waited for since `start` may still come.
    func allows(since start: ContinuousClock.Instant) -> Bool {
        let calm = calmSince.withLock { $0 }
        guard let calm else { return ContinuousClock.now - start < Self.inTrouble }
        return ContinuousClock.now - max(start, calm) < Self.atRest
    }
}
