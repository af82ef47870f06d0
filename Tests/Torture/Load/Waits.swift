import Synchronization

/// What lines wait for, for whoever watches.
final class Waits: Sendable {
    private struct Wait {
        let what: String
        let since = ContinuousClock.now
        var complaint = ""
    }
    private let state = Mutex<(next: Int, waits: [Int: Wait])>((0, [:]))

    func begin(_ what: String) -> Int {
        state.withLock { state in
            state.next += 1
            state.waits[state.next] = Wait(what: what)
            return state.next
        }
    }
    func note(_ complaint: String, _ wait: Int) { state.withLock { $0.waits[wait]?.complaint = complaint } }
    func end(_ wait: Int) { state.withLock { $0.waits[wait] = nil } }

    /// The longest wait, if it is a long one.
    var longest: String? {
        state.withLock { state in
            guard let wait = state.waits.values.min(by: { $0.since < $1.since }) else { return nil }
            let seconds = (ContinuousClock.now - wait.since).components.seconds
            let why = wait.complaint.isEmpty ? "" : ": \(wait.complaint.prefix(300))"
            return seconds < 10 ? nil : "\(wait.what), for \(seconds) s\(why)"
        }
    }
}
