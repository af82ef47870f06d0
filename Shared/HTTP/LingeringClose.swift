// Which of the two modules a socket declaration belongs to depends on which was compiled first: see both.
internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// Takes what a client goes on sending after it was answered, and lets it go by, so that the client can read the answer.
///
/// A socket that is closed with bytes unread is reset, and with that the client loses what it has not read yet
/// (RFC 9112 § 9.6). Who has been told that his body is too large would see a broken connection, and try again.
enum LingeringClose {
    private static let mostBytes = 8 << 20
    private static let patience = Duration.seconds(2)
    /// More at a time are closed at once.
    private static let mostSockets = 64
    private static let sockets = Atomic<Int>(0)

    /// Goes on with a descriptor of its own: the library closes its one when this has returned.
    static func begin(on socket: Int32) {
        guard sockets.wrappingAdd(1, ordering: .relaxed).newValue <= mostSockets else { return end() }
        let socket = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard socket >= 0 else { return end() }
        shutdown(socket, Int32(SHUT_WR))
        Task {
            await drain(socket)
            close(socket)
            end()
        }
    }

    private static func end() { sockets.wrappingSubtract(1, ordering: .relaxed) }

    private static func drain(_ socket: Int32) async {
        let deadline = ContinuousClock.now + patience
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var left = mostBytes
        while left > 0, .now < deadline {
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                left -= count
            } else if count < 0, errno == EAGAIN || errno == EINTR {
                // For two seconds and few sockets: not worth a thread that waits.
                guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
            } else {
                return
            }
        }
    }
}
