public import AMQP
public import Foundation
import HTTPClient
public import Messages
import ServiceKit

/// A private RabbitMQ node, by `scripts/broker`, in a temporary folder that goes with this process.
public final class BrokerProcess: Sendable {
    /// Its data, log and settings.
    public let folder: URL
    /// The operator's login, over plain TCP.
    public let settings: BrokerSettings
    /// The operator's login over TLS, where the node was started with certificates; the files are yet to be named.
    public let secureAddress: BrokerAddress?
    /// `http://127.0.0.1:port`
    public let management: String

    private static let sharedNode = Task { try await BrokerProcess.start() }
    private static let http = HTTPClient()

    /// One node for all suites of this process, made when it is first asked for. Each suite takes a
    /// ``virtualHost()`` of its own on it; what hurts the whole node wants a node of its own.
    public static var shared: BrokerProcess { get async throws { try await sharedNode.value } }

    /// A node of its own.
    ///
    /// - Parameters:
    ///   - certificates: makes `ca.pem`, `cert.pem` and `key.pem` in the folder that it is given, for TLS.
    ///   - lines: more lines of rabbitmq.conf.
    public static func start(
        certificates: ((URL) async throws -> Void)? = nil, lines: [String] = []
    ) async throws -> BrokerProcess {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-broker-\(UUID())")
        var arguments = ["start", folder.path, "--throw-away"] + parent
        if let certificates {
            let tls = folder.appendingPathComponent("tls")
            try FileManager.default.createDirectory(at: tls, withIntermediateDirectories: true)
            try await certificates(tls)
            arguments += ["--tls", tls.path]
        }
        try await run(arguments + lines.flatMap { ["--set", $0] })
        return try BrokerProcess(folder: folder)
    }

    // The node ends by itself when this process does, however it does.
    private static let parent = ["--parent", String(getpid())]

    private init(folder: URL) throws {
        self.folder = folder
        let text = try String(contentsOf: folder.appendingPathComponent("env"), encoding: .utf8)
        let pairs = text.split(separator: "\n").compactMap { line in
            line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[$0...].dropFirst())) }
        }
        let values = Dictionary(pairs) { $1 }
        guard let address = values["TOLLGATE_BROKER"].flatMap({ BrokerAddress($0) }),
            let management = values["TOLLGATE_BROKER_MANAGEMENT"]
        else { throw TestFailure("\(folder.path)/env has no addresses") }
        settings = BrokerSettings(address: address)
        secureAddress = values["TOLLGATE_BROKER_TLS"].flatMap { BrokerAddress($0) }
        self.management = management
    }

    /// A node of its own in the cluster of this one.
    public func joined() async throws -> BrokerProcess {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-broker-\(UUID())")
        try await Self.run(["start", folder.path, "--throw-away", "--join", self.folder.path] + Self.parent)
        return try BrokerProcess(folder: folder)
    }

    /// Stops the node in order and removes its folder.
    public func stop() async throws { try await Self.run(["stop", folder.path]) }

    /// SIGKILL; the data stays.
    public func kill() async throws { try await Self.run(["kill", folder.path]) }

    /// Starts it again after ``kill()``, on the same ports.
    public func startAgain() async throws { try await Self.run(["start", folder.path] + Self.parent) }

    private static let alarm = "{resource_limit, memory, node()}"

    /// Makes the node short of memory, or not. Its connections learn of it some milliseconds after this returns.
    public func setMemoryAlarm(_ isOn: Bool) async throws {
        // The alarm itself, and not what would raise it: rabbitmqctl takes seconds on a busy host, and this is one call.
        let change = isOn ? "set_alarm({\(Self.alarm), []})" : "clear_alarm(\(Self.alarm))"
        let alarms = try await control("eval", "rabbit_alarm:\(change), rabbit_alarm:get_alarms().")
        guard alarms.contains("memory") == isOn else {
            throw TestFailure("the memory alarm did not go \(isOn ? "on" : "off"): \(alarms)")
        }
    }

    /// Makes the node short of memory for so long; it ends that itself, whatever becomes of us.
    public func beShortOfMemory(for time: Duration) async throws {
        let milliseconds = Int(time / .milliseconds(1))
        try await control(
            "eval",
            """
            rabbit_alarm:set_alarm({\(Self.alarm), []}), timer:sleep(\(milliseconds)), \
            rabbit_alarm:clear_alarm(\(Self.alarm)).
            """)
    }

    /// `rabbitmqctl` against this node.
    @discardableResult
    public func control(_ arguments: String...) async throws -> String {
        try await Self.run(["ctl", folder.path] + arguments)
    }

    /// A new virtual host, for the operator's login.
    public func virtualHost() async throws -> BrokerSettings {
        let name = "test-\(UUID().uuidString.lowercased())"
        _ = try await manage("PUT", "vhosts/\(name)")
        try await allow(settings.address.user, in: name, BrokerPermissions.operatorTool)
        var own = settings
        own.address.virtualHost = name
        return own
    }

    /// A login with these permissions in the virtual host of `own`; its user is made if it is new.
    public func user(_ permissions: BrokerPermissions, in own: BrokerSettings) async throws -> BrokerSettings {
        let password = "password-of-a-test"
        let name = permissions.user.rawValue
        _ = try await manage("PUT", "users/\(name)", "{\"password\": \"\(password)\", \"tags\": \"\"}")
        try await allow(name, in: own.address.virtualHost, permissions)
        var other = own
        other.address.user = name
        other.address.password = Secret(password)
        return other
    }

    private func allow(_ user: String, in host: String, _ permissions: BrokerPermissions) async throws {
        func json(_ fields: [String: String]) throws -> String {
            String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
        }
        _ = try await manage(
            "PUT", "permissions/\(host)/\(user)",
            json(["configure": permissions.configure, "write": permissions.write, "read": permissions.read]))
        _ = try await manage(
            "PUT", "topic-permissions/\(host)/\(user)",
            json(["exchange": Exchange.events.rawValue, "write": permissions.events, "read": ".*"]))
    }

    /// Cuts every connection in the virtual host of `own`, as an operator would.
    public func cutConnections(in own: BrokerSettings) async throws {
        try await control("close_all_connections", "--vhost", own.address.virtualHost, "cut by a test")
    }

    /// Asks the management API.
    public func manage(_ method: String, _ path: String, _ body: String = "") async throws -> String {
        let credentials = HTTPRequest.BasicCredentials(
            user: settings.address.user, password: settings.address.password.revealed)
        let response = try await Self.http.send(
            HTTPRequest(
                method: method, url: "\(management)/api/\(path)", headers: ["Content-Type": "application/json"],
                body: Array(body.utf8), timeout: .seconds(30), credentials: credentials))
        guard (200..<300).contains(response.status) else {
            throw TestFailure("\(method) \(path): \(response.status) \(response.text)")
        }
        return response.text
    }

    @discardableResult
    private static func run(_ arguments: [String]) async throws -> String {
        let script = BuiltExecutable.packageFolder.appendingPathComponent("scripts/broker")
        let result = try await BuiltExecutable(at: script.path).run(arguments)
        guard result.status == 0 else {
            throw TestFailure("broker \(arguments.joined(separator: " ")): \(result.output)\(result.errors)")
        }
        return result.output
    }
}
