internal import HTTPClient
internal import JSON
internal import Messages

/// The management API of the broker, as far as the topology needs it.
struct ManagementAPI: Sendable {
    private let client: HTTPClient
    private let address: ManagementAddress

    /// - Parameters:
    ///   - address: where it is, and who asks.
    ///   - authorityFile: PEM of who may vouch for it, for https; nil: whom the system trusts.
    init(_ address: ManagementAddress, authorityFile: String? = nil) {
        var configuration = HTTPClientConfiguration()
        configuration.authorityFile = authorityFile
        configuration.bodyLimit = ManagedList.limits.bytes
        client = HTTPClient(configuration)
        self.address = address
    }

    /// Everything that the comparison looks at.
    ///
    /// - Throws: ``ToolFailure``.
    func state() async throws -> BrokerState {
        let host = address.encodedVirtualHost
        async let exchanges = list(ManagedExchange.self, "exchanges/\(host)?columns=name,type,durable")
        async let queues = queues()
        async let bindings = list(
            ManagedBinding.self, "bindings/\(host)?columns=source,destination,destination_type,routing_key")
        async let users = users()
        async let permissions = list(ManagedPermission.self, "permissions")
        async let topicPermissions = list(ManagedTopicPermission.self, "topic-permissions")
        return try await BrokerState(
            virtualHost: address.virtualHost, exchanges: exchanges, queues: queues, bindings: bindings, users: users,
            permissions: permissions, topicPermissions: topicPermissions)
    }

    /// Every queue. The numbers of messages are up to five seconds old.
    ///
    /// - Throws: ``ToolFailure``.
    func queues() async throws -> [ManagedQueue] {
        try await list(
            ManagedQueue.self,
            "queues/\(address.encodedVirtualHost)?columns=name,durable,exclusive,arguments,effective_policy_definition,"
                + "messages")
    }

    /// Every login.
    ///
    /// - Throws: ``ToolFailure``.
    func users() async throws -> [ManagedUser] { try await list(ManagedUser.self, "users?columns=name,tags") }

    /// Makes a login, or gives it this password and these tags.
    func put(_ user: BrokerUser, password: String, tags: [String]) async throws {
        struct Body: Encodable {
            let password: String
            let tags: String
        }
        try await put("users/\(user)", Body(password: password, tags: tags.joined(separator: ",")))
    }

    /// Lets a login do what it needs, and nothing else.
    func put(_ permissions: BrokerPermissions) async throws {
        struct General: Encodable {
            let configure: String
            let write: String
            let read: String
        }
        struct Topic: Encodable {
            let exchange: String
            let write: String
            let read: String
        }
        let who = "\(address.encodedVirtualHost)/\(permissions.user)"
        try await put(
            "permissions/\(who)",
            General(configure: permissions.configure, write: permissions.write, read: permissions.read))
        try await put(
            "topic-permissions/\(who)",
            Topic(exchange: Exchange.events.rawValue, write: permissions.events, read: ".*"))
    }

    private func put(_ path: String, _ body: some Encodable) async throws {
        _ = try await send("PUT", path, body: try MessageJSON.encode(body))
    }

    private func list<Item: Decodable>(_ type: Item.Type, _ path: String) async throws -> [Item] {
        let response = try await send("GET", path)
        do {
            return try ManagedList.decode(type, from: response.body)
        } catch {
            throw ToolFailure(
                .failed, "\(address.url)/api/\(path) answered something that is no list: \(error)",
                advice: "does TOLLGATE_BROKER_MANAGEMENT name the management API of RabbitMQ?")
        }
    }

    private func send(_ method: String, _ path: String, body: [UInt8] = []) async throws -> HTTPResponse {
        let request = HTTPRequest(
            method: method, url: "\(address.url)/api/\(path)", headers: ["Content-Type": "application/json"],
            body: body, timeout: .seconds(30), credentials: address.credentials)
        let response: HTTPResponse
        do {
            response = try await client.send(request)
        } catch {
            throw ToolFailure(
                .unavailable, "The management API does not answer: \(error)",
                advice: "is the broker running, with its management plugin, where TOLLGATE_BROKER_MANAGEMENT says?")
        }
        switch response.status {
        case 200..<300: return response
        case 401 where response.text.contains("Login failed"):
            throw ToolFailure(
                .failed, "The management API does not know \(address.credentials.user) by this password",
                advice: "the login is that of TOLLGATE_BROKER")
        case 401, 403:
            throw ToolFailure(
                .failed, "The management API does not let \(address.credentials.user) do \(method) \(path)",
                advice: "its user has to be an administrator: rabbitmqctl set_user_tags NAME administrator")
        default:
            throw ToolFailure(
                .failed,
                "The management API answered \(method) \(path) with \(response.status): "
                    + String(response.text.prefix(200)))
        }
    }
}
