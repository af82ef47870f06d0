internal import Glibc
internal import Synchronization

/// A send that has not come back: during a memory alarm the broker reads nothing, and a host that vanished never will.
/// After a while the connection is cut from outside, so that its thread can begin anew.
final class HangingSend: Sendable {
    private struct Send {
        let descriptor: Int32
        let since: ContinuousClock.Instant
    }
    private let send = Mutex<Send?>(nil)
    private let patience: Duration

    /// - Parameter patience: how long a send may take.
    init(patience: Duration) { self.patience = patience }

    /// The thread begins a send that may take long.
    func begin(_ descriptor: Int32) { send.withLock { $0 = Send(descriptor: descriptor, since: .now) } }

    /// It has come back.
    func end() { send.withLock { $0 = nil } }

    /// Cuts the connection if it hangs; from any thread. The descriptor cannot have been closed: ``end()`` would have
    /// come before.
    func endIfTooLong() { end(olderThan: patience) }

    /// Cuts the connection if a send is under way.
    func endNow() { end(olderThan: .zero) }

    private func end(olderThan age: Duration) {
        send.withLock { send in
            guard let hanging = send, .now - hanging.since >= age else { return }
            shutdown(hanging.descriptor, Int32(SHUT_RDWR))
        }
    }
}
