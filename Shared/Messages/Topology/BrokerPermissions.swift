/// What one broker user may do: three patterns over names of queues and exchanges, and one over the routing keys of
/// events (rabbitmq.com/access-control.html). The least that its work needs.
public struct BrokerPermissions: Sendable, Hashable {
    /// The login.
    public let user: BrokerUser
    /// May declare and delete.
    public let configure: String
    /// May publish to, and bind from a queue.
    public let write: String
    /// May consume from, and bind to an exchange.
    public let read: String
    /// Routing keys under which it may publish events.
    public let events: String
    /// Management tags.
    public let tags: [String]

    /// Of a service: its own queues, and the events that it owns.
    public init(of service: ServiceName, kinds: [KindDescription] = Catalogue.kinds) {
        let user = BrokerUser(of: service)
        let name = Self.escaped(service.rawValue)
        let own = "\(name)\\..*|(edge|replies)\\.\(name)-.*"
        let owned = kinds.filter { $0.role == .event && $0.authors == [user] }.map { Self.escaped($0.kind.rawValue) }
        self.user = user
        configure = "^(\(own)|tollgate\\..*)$"
        // Replies and replays go through the default exchange, whose name for permissions is amq.default.
        write = "^(\(own)|tollgate\\..*|amq\\.default)$"
        read = "^(\(own)|tollgate\\..*)$"
        events = owned.isEmpty ? "^$" : "^(\(owned.joined(separator: "|")))\\.[0-9]+$"
        tags = []
    }

    private init(
        user: BrokerUser, configure: String, write: String, read: String, events: String, tags: [String]
    ) {
        self.user = user
        self.configure = configure
        self.write = write
        self.read = read
        self.events = events
        self.tags = tags
    }

    /// Of the operator's tool: everything.
    public static let operatorTool = BrokerPermissions(
        user: .operatorTool, configure: ".*", write: ".*", read: ".*", events: ".*", tags: ["administrator"])

    /// Of load tests: publishes commands.
    public static let load = BrokerPermissions(
        user: .load, configure: "^$", write: "^tollgate\\.commands$", read: "^$", events: "^$", tags: [])

    /// Of every user of an installation.
    public static let all = ServiceName.all.map { BrokerPermissions(of: $0) } + [operatorTool, load]

    private static func escaped(_ name: String) -> String { name.split(separator: ".").joined(separator: "\\.") }
}
