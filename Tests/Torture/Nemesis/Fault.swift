import Messages

/// What is done to an installation.
enum Fault: String, CaseIterable, Sendable {
    // To services.
    case kill = "service killed (kill -9)"
    case killAll = "all services killed at once (kill -9)"
    case restart = "service stopped in order and started"
    case freeze = "owner frozen past its heartbeat, and a rival on its store"
    case pause = "service frozen for a moment"
    case fullDisk = "disk full"
    case rival = "rival with a store of its own"
    // To the broker and the way to it.
    case killBroker = "broker, or one node of it, killed (kill -9)"
    case block = "broker blocked (memory alarm)"
    case cut = "all connections of a service cut"
    case tear = "network that tears and delays"
    case drop = "network that cuts in the middle of frames"
    case halfClose = "network that closes one direction"
    case silence = "network that falls silent"
    case replay = "dead letters replayed"

    /// What happens to services, one after the other.
    static let ofServices: [(fault: Fault, weight: Int)] = [
        (.kill, 8), (.killAll, 1), (.restart, 2), (.freeze, 3), (.pause, 2), (.fullDisk, 3), (.rival, 2),
    ]
    /// What happens to the broker meanwhile.
    static let ofBroker: [(fault: Fault, weight: Int)] = [
        (.killBroker, 2), (.block, 2), (.cut, 4), (.tear, 3), (.drop, 4), (.halfClose, 3), (.silence, 2), (.replay, 3),
    ]

    /// Faults of one of the two lists: each once in an order of the seed's, then by weight, so that a short run has seen
    /// all of them.
    static func sequence(
        of list: [(fault: Fault, weight: Int)], _ dice: inout some RandomNumberGenerator, count: Int
    ) -> [Fault] {
        var faults = list.map(\.fault).shuffled(using: &dice)
        let lots = list.flatMap { Array(repeating: $0.fault, count: $0.weight) }
        while faults.count < count { faults.append(lots.randomElement(using: &dice) ?? .kill) }
        return faults
    }
}
