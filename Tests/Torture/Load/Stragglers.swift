import Synchronization

/// What is still to be sent beside the lines.
final class Stragglers: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])

    func add(_ task: Task<Void, Never>) { tasks.withLock { $0.append(task) } }

    /// Waits for all of them.
    func end() async {
        while let task = tasks.withLock({ $0.popLast() }) { await task.value }
    }
}
