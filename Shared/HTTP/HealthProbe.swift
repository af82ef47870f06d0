// Which of the two modules a socket declaration belongs to depends on which was compiled first: see both.
internal import CMicroHTTPD
internal import Glibc

/// Asks a service on this host whether it is ready: what `--health` does, for images that have neither shell nor curl.
public enum HealthProbe {
    /// Whether `GET /readyz` is answered with 200. Blocks the thread for up to the time limit, twice at worst.
    ///
    /// - Parameters:
    ///   - address: where the service listens; for "everywhere" (`0.0.0.0`, `::`) the loopback address is asked.
    ///   - timeLimit: for the connection, and again for the answer.
    public static func check(
        address: String = "127.0.0.1", port: UInt16, timeLimit: Duration = .seconds(3)
    ) -> Bool {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][address] ?? address
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let info = found else { return false }
        defer { freeaddrinfo(found) }
        let descriptor = socket(info.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }

        let (seconds, attoseconds) = timeLimit.components
        var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        let size = socklen_t(MemoryLayout<timeval>.size)
        // On Linux the time limit for sending also bounds `connect` (socket(7)).
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        guard connect(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 else { return false }
        let question = Array("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else {
            return false
        }
        return answersOK(descriptor, within: timeLimit)
    }

    private static func answersOK(_ descriptor: Int32, within timeLimit: Duration) -> Bool {
        let expected = Array("HTTP/1.1 200".utf8)
        let end = ContinuousClock.now + timeLimit
        var answer: [UInt8] = []
        while answer.count < expected.count, ContinuousClock.now < end {
            var piece = [UInt8](repeating: 0, count: 64)
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return false }
            answer += piece.prefix(count)
        }
        return answer.starts(with: expected)
    }
}
