internal import Synchronization

/// What a partition is doing, for `/readyz`: ready means consuming.
final class PartitionState: Sendable {
    enum Phase: Sendable, Hashable {
        case starting
        /// Another process owns it.
        case standby
        case consuming
        /// The store takes no writes.
        case paused(String)
        case disconnected(String)
        /// The broker has something otherwise than the topology wants it.
        case misdeclared(String)
        case stopped

        /// Nil when ready.
        var complaint: String? {
            switch self {
            case .consuming: nil
            case .starting: "starting"
            case .standby: "standby: another process owns this partition"
            case .paused(let why): "paused: \(why)"
            case .disconnected(let why): why
            case .misdeclared(let why): why
            case .stopped: "stopped"
            }
        }
    }

    private let phase = Mutex(Phase.starting)

    var current: Phase { phase.withLock { $0 } }

    func set(_ phase: Phase) { self.phase.withLock { $0 = phase } }
}
