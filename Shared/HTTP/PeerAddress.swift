// Which of the two modules a socket declaration belongs to depends on which was compiled first: see both.
internal import CMicroHTTPD
internal import Glibc

/// The address at the other end of a connection.
public struct PeerAddress: Hashable, Sendable {
    /// Numeric. An IPv4 address that came over an IPv6 socket is written as IPv4.
    public var host: String
    /// The client's own port.
    public var port: UInt16

    /// An address for tests.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Stands in where the system could not tell.
    public static let unknown = PeerAddress(host: "unknown", port: 0)
}

extension PeerAddress {
    init(copying address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                var internet = pointer.pointee.sin_addr
                return PeerAddress(
                    host: Self.text(AF_INET, &internet), port: UInt16(bigEndian: pointer.pointee.sin_port))
            }
        case AF_INET6:
            self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                var internet = pointer.pointee.sin6_addr
                let host = Self.text(AF_INET6, &internet)
                let mapped = "::ffff:"
                let isMapped = host.hasPrefix(mapped) && host.contains(".")
                return PeerAddress(
                    host: isMapped ? String(host.dropFirst(mapped.count)) : host,
                    port: UInt16(bigEndian: pointer.pointee.sin6_port))
            }
        default: self = .unknown
        }
    }

    private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard
                let start = buffer.baseAddress,
                inet_ntop(family, address, start, socklen_t(buffer.count)) != nil
            else { return unknown.host }
            return String(cString: start)
        }
    }
}
