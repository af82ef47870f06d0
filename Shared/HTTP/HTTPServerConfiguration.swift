/// How a server listens and what it lets clients do. The defaults suit a service behind a balancer.
public struct HTTPServerConfiguration: Sendable {
    /// A numeric address, IPv4 or IPv6. `::` takes both.
    public var address = "127.0.0.1"
    /// 0 takes any free port; ``HTTPServer/port`` tells which.
    public var port: UInt16 = 0
    /// Connections that the kernel holds until they are accepted.
    public var backlog = 511
    /// More wait in the backlog.
    public var maxConnections = 1024
    /// More from one address are closed at once. 0: no limit, as behind a balancer.
    public var maxConnectionsPerAddress = 0
    /// Bytes of request line and headers; more is 431 (or 414, if it is the target's). A connection takes twice this
    /// and 8 KiB. More than a hundred headers or query items are refused in the same way.
    public var headerLimit = 8 * 1024
    /// Bytes of a body, unless the route says otherwise; more is 413.
    public var bodyLimit = 256 * 1024
    /// Bytes of all bodies that are in memory at one time; what does not fit is 503.
    public var bodyMemoryLimit = 64 * 1024 * 1024
    /// A connection on which nothing moves for this long is closed. Whole seconds.
    public var idleTimeout: Duration = .seconds(30)
    /// Within this time a request must have arrived, headers and body, and later its answer must have been taken,
    /// however busily the bytes trickle.
    public var transferTimeout: Duration = .seconds(30)
    /// How long a handler may take, unless the route says otherwise; then the client gets 503.
    public var handlerDeadline: Duration = .seconds(10)
    /// How long a stopping server lets requests finish that are under way.
    public var gracePeriod: Duration = .seconds(10)
    /// Fields for every response that does not have them, the server's own refusals included.
    public var responseHeaders: HTTPHeaders = ["Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"]

    /// The defaults.
    public init(address: String = "127.0.0.1", port: UInt16 = 0) {
        self.address = address
        self.port = port
    }
}
