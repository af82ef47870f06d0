// Which of the two modules a socket declaration belongs to depends on which was compiled first: see both.
internal import CMicroHTTPD
internal import Glibc

/// A socket that takes connections into its backlog from the moment it is made. Closed when it goes out of scope.
struct ListeningSocket: ~Copyable {
    private let descriptor: Int32
    /// The port in use; never 0.
    let port: UInt16

    init(address: String, port: UInt16, backlog: Int) throws(HTTPServerError) {
        let endpoint = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address, "\(port)", &hints, &found)
        guard code == 0, let info = found else {
            throw HTTPServerError(
                operation: "listen at", endpoint: endpoint, reason: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(found) }

        func failure(_ operation: String) -> HTTPServerError {
            HTTPServerError(operation: operation, endpoint: endpoint, reason: String(cString: strerror(errno)))
        }
        let descriptor = socket(info.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("open a socket for") }
        var on: Int32 = 1
        var off: Int32 = 0
        // A restarted service must not wait for the connections of its predecessor to time out.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        if info.pointee.ai_family == AF_INET6 {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
        }
        do throws(HTTPServerError) {
            guard
                bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0,
                listen(descriptor, Int32(clamping: backlog)) == 0
            else { throw failure("listen at") }
            guard let port = Self.port(of: descriptor) else { throw failure("find the port of") }
            self.port = port
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Hands the descriptor over to a new owner, who closes it.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // The port has the same place in both families.
        return code == 0 ? UInt16(bigEndian: address.sin6_port) : nil
    }
}
