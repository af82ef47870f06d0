package import AMQP
import Crypto
package import Foundation
package import HTTPClient
package import Messages
package import Messaging
import ServiceKit
import Synchronization
import StoreArtifacts
package import StoreSimulator

/// A whole installation of the built executables, in a virtual host and a folder of its own.
package actor Installation {
    package static let organisation = "demo"
    package static let app = "com.example.tunes"
    package static let product = StoreProduct.subscription("com.example.tunes.pro.monthly")
    package static let entitlement = "pro"
    package static let services: [ServiceName] = ServiceName.all

    package nonisolated let folder: URL
    package nonisolated let partitions: Int
    package nonisolated let http: HTTPClient = {
        var configuration = HTTPClientConfiguration()
        // What is sent at once beyond it waits here, and not as a connection that the edge has no room for.
        configuration.maxConnectionsPerHost = 256
        return HTTPClient(configuration)
    }()
    package nonisolated let authority: TestAuthority
    package nonisolated let edgePort: Int
    /// The broker, or the first node of its cluster.
    package nonisolated let broker: BrokerProcess
    /// The operator's login in its virtual host.
    private nonisolated let login: BrokerSettings
    private nonisolated let hasOwnNodes: Bool
    /// Logins are the node's, not the virtual host's: whoever shares it has the same ones.
    package nonisolated let passwordFile: String
    /// The other nodes.
    package nonisolated let neighbours: [BrokerProcess]
    /// In front of a cluster.
    private let balancer: RoughNetwork?
    private var passwords: [String: String] = [:]
    private var running: [ServiceName: RunningProgram] = [:]
    private var clients: [Task<Void, any Error>] = []
    /// For whoever only looks.
    nonisolated let pids = Mutex<[ServiceName: Int32]>([:])
    package private(set) var key = ""

    /// The settings of every service beside its own: short rungs, so that tests need not wait.
    package static let settings = [
        "TOLLGATE_RETRY_DELAYS": "50ms,100ms,200ms", "TOLLGATE_GIVE_UP_AFTER": "30s", "TOLLGATE_LIMITS": "off",
        "TOLLGATE_LOG_LEVEL": "info", "TOLLGATE_CHECKPOINT_INTERVAL": "500ms",
    ]

    /// Where its queues are.
    package enum Place: Sendable {
        /// In a virtual host of its own, on the one node of all that say so: that is there at once.
        case sharedNode
        /// On so many nodes of its own, with these lines more of rabbitmq.conf: for what hurts a whole node, is measured
        /// on it, or asks it for more than a virtual host has.
        case ownNodes(Int = 1, settings: [String] = [])
    }

    private static let sharedNode = Task { try await BrokerProcess.start() }

    /// Starts it, and connects the demo app; ready when this returns.
    package static func start(partitions: Int = 1, on place: Place = .sharedNode) async throws -> Installation {
        let installation = try await Installation(partitions: partitions, on: place)
        try await installation.setUp()
        return installation
    }

    private init(partitions: Int, on place: Place) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-e2e-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.partitions = partitions
        authority = try TestAuthority.make()
        edgePort = try freePort()
        var neighbours: [BrokerProcess] = []
        switch place {
        case .sharedNode:
            broker = try await Self.sharedNode.value
            login = try await broker.virtualHost()
            hasOwnNodes = false
        case .ownNodes(let count, let settings):
            broker = try await BrokerProcess.start(lines: settings)
            login = broker.settings
            hasOwnNodes = true
            while neighbours.count + 1 < count { neighbours.append(try await broker.joined()) }
        }
        self.neighbours = neighbours
        passwordFile = broker.folder.appendingPathComponent("passwords").path
        ports = ([broker] + neighbours).map { Int($0.settings.address.port) }
        balancer = neighbours.isEmpty ? nil : try RoughNetwork(to: ports, seed: 0)
    }

    /// Where the nodes of the broker take connections.
    package nonisolated let ports: [Int]

    private func setUp() async throws {
        async let stores: Void = makeStores()
        let apply = ["topology", "apply", "--passwords", passwordFile]
        // Nodes on one machine that have just found each other may take longer than the tool waits.
        let isDeclared = try await eventually(within: .seconds(neighbours.isEmpty ? 0 : 120)) {
            try await self.tool(apply).status == 0
        }
        if !isDeclared { try await succeed("topology", "apply", "--passwords", passwordFile) }
        for line in try String(contentsOfFile: passwordFile, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { passwords[String(parts[0])] = String(parts[1]) }
        }
        try await stores
        for service in Self.services { try start(service) }
        for service in Self.services { try await waitUntilReady(service) }
        let root = folder.appendingPathComponent("root.pem")
        try authority.root.pem.write(to: root, atomically: true, encoding: .utf8)
        try await succeed("apps", "add", "--app", Self.app, "--test-root", root.path)
        try await succeed("products", "map", "--app", Self.app, Self.product.id, Self.entitlement)
        let added = try await succeed("keys", "add", "test", "--scope", "read", "--json")
        struct Added: Decodable { let secret: String }
        key = try JSONDecoder().decode(Added.self, from: Data(added.output.utf8)).secret
        _ = await eventually { (try? await self.get("/api/v1/apps/\(Self.app)/users/nobody").status) == 404 }
    }

    private func makeStores() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in Self.services {
                group.addTask {
                    try await self.succeed(
                        "store", "create", service.rawValue, "--store", self.storeFolder(of: service), "--partitions",
                        String(self.count(of: service)))
                }
            }
            try await group.waitForAll()
        }
    }

    /// Stops everything and removes its folder.
    package func tearDown() async {
        for (_, program) in running { program.signal(SIGKILL) }
        for (_, program) in running { _ = await program.exitStatus }
        running = [:]
        for client in clients { client.cancel() }
        balancer?.stop()
        for node in neighbours { _ = try? await node.stop() }
        if hasOwnNodes {
            _ = try? await broker.stop()
        } else {
            _ = try? await broker.manage("DELETE", "vhosts/\(login.address.virtualHost)")
        }
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Services

    /// The registry is one partition, whatever the others have.
    package nonisolated func count(of service: ServiceName) -> Int { service == .attestGateway ? 1 : partitions }

    package nonisolated func storeFolder(of service: ServiceName) -> String {
        folder.appendingPathComponent("stores/\(service)").path
    }

    package nonisolated func logFile(of service: ServiceName) -> URL { folder.appendingPathComponent("\(service).log") }

    private nonisolated let healthPorts: [ServiceName: Int] = Dictionary(
        uniqueKeysWithValues: Installation.services.map { ($0, (try? freePort()) ?? 0) })

    package func environment(of service: ServiceName, _ more: [String: String] = [:]) -> [String: String] {
        Self.settings.merging([
            "TOLLGATE_BROKER": address(of: BrokerUser(of: service)),
            "TOLLGATE_STORE": storeFolder(of: service), "TOLLGATE_PARTITIONS": String(count(of: service)),
            "TOLLGATE_HTTP_PORT": String(edgePort), "TOLLGATE_HEALTH_PORT": String(healthPorts[service] ?? 0),
        ]) { $1 }.merging(more) { $1 }
    }

    /// - Parameter executable: another program in its place.
    package func start(_ service: ServiceName, _ more: [String: String] = [:], executable: String? = nil) throws {
        let log = logFile(of: service)
        if !FileManager.default.fileExists(atPath: log.path) {
            _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        }
        let handle = try FileHandle(forWritingTo: log)
        try handle.seekToEnd()
        let program = try RunningProgram(
            BuiltExecutable(executable ?? service.rawValue), environment: environment(of: service, more),
            output: handle,
            errors: handle)
        running[service] = program
        pids.withLock { $0[service] = program.pid }
    }

    /// Sends `signal` and waits for the end: exit status, or the signal's number.
    @discardableResult
    package func stop(_ service: ServiceName, _ signal: Int32 = SIGKILL) async -> Int32 {
        guard let program = running.removeValue(forKey: service) else { return -1 }
        program.signal(signal)
        return await program.exitStatus
    }

    /// Sends its process a signal that does not end it: SIGSTOP, SIGCONT.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package nonisolated func signal(_ service: ServiceName, _ signal: Int32) -> Bool {
        guard let pid = pids.withLock({ $0[service] }) else { return false }
        return kill(pid, signal) == 0
    }

    package func hasEnded(_ service: ServiceName) -> Bool { running[service]?.hasEnded ?? true }

    package func isReady(_ service: ServiceName) async -> Bool {
        (try? await readiness(of: service))?.status == 200
    }

    package func readiness(of service: ServiceName) async throws -> HTTPResponse {
        try await http.send(
            HTTPRequest(
                method: "GET", url: "http://127.0.0.1:\(healthPorts[service] ?? 0)/readyz", timeout: .seconds(3)))
    }

    /// A number that a service shows at `/metrics`, by name and labels as they are written there; 0 until it is shown.
    package func number(_ name: String, of service: ServiceName) async throws -> Double {
        let response = try await http.send(
            HTTPRequest(
                method: "GET", url: "http://127.0.0.1:\(healthPorts[service] ?? 0)/metrics", timeout: .seconds(3)))
        return response.number(name)
    }

    package func waitUntilReady(_ service: ServiceName) async throws {
        // A broker that has just come back may let a declaration wait for a queue that has no leader yet.
        let isReady = await eventually(within: .seconds(60)) { await self.isReady(service) }
        guard isReady else {
            throw TestFailure(
                "\(service) is not ready:\n\(try String(contentsOf: logFile(of: service), encoding: .utf8).suffix(2000))"
            )
        }
    }

    // MARK: Broker

    /// Its virtual host as it is written in addresses.
    package nonisolated var virtualHost: String { login.address.virtualHost.replacing("/", with: "%2F") }

    /// `amqp://…` with the login of `user`.
    package func address(of user: BrokerUser) -> String {
        let address = login.address
        let password = user == .operatorTool ? address.password.revealed : passwords[user.rawValue] ?? ""
        return "amqp://\(user):\(password)@\(address.host):\(balancer?.port ?? Int(address.port))/\(virtualHost)"
    }

    /// With the login of `user`, for whoever connects as any AMQP client would.
    package func login(of user: BrokerUser) throws -> BrokerSettings {
        try BrokerSettings(from: Settings(environment: ["TOLLGATE_BROKER": address(of: user)]))
    }

    /// A publisher with the login of `user`, as any AMQP client would be.
    package func publisher(as user: BrokerUser) async throws -> any Publisher {
        let client = try AMQPBroker(login(of: user), name: "test", logger: Logger(service: "test", least: .error))
        clients.append(Task { try await client.run() })
        return client.publisher
    }

    /// Takes bindings away, as an operator's slip would.
    package func unbind(queue: String, exchange: Exchange, routingKeys: [String]) async throws {
        for key in routingKeys {
            _ = try await broker.manage("DELETE", "bindings/\(virtualHost)/e/\(exchange.rawValue)/q/\(queue)/\(key)")
        }
    }
}
