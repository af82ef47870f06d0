import Synchronization

/// Counts by name.
final class Counter: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ name: String, _ count: Int = 1) { counts.withLock { $0[name, default: 0] += count } }
    var all: [String: Int] { counts.withLock { $0 } }
}
