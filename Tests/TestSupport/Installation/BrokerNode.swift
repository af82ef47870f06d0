package import Foundation
import HTTPClient

/// A private broker node for one installation, by `scripts/broker`: it may be stopped, killed and starved.
package final class BrokerNode: Sendable {
    package let folder: URL
    /// `amqp://user:password@127.0.0.1:port` of the operator.
    package let operatorAddress: String
    /// The management API.
    package let management: String

    package static func start(in folder: URL, settings: [String] = []) async throws -> BrokerNode {
        try await run(
            ["start", folder.path, "--parent", String(getpid())] + settings.flatMap { ["--set", $0] })
        let lines = try String(contentsOf: folder.appendingPathComponent("env"), encoding: .utf8)
            .split(separator: "\n")
        func value(_ name: String) -> String {
            lines.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) } ?? ""
        }
        return BrokerNode(
            folder: folder, operatorAddress: value("TOLLGATE_BROKER"), management: value("TOLLGATE_BROKER_MANAGEMENT"))
    }

    private init(folder: URL, operatorAddress: String, management: String) {
        self.folder = folder
        self.operatorAddress = operatorAddress
        self.management = management
    }

    package func address(user: String, password: String) -> String {
        let host = operatorAddress.split(separator: "@").last.map(String.init) ?? ""
        return "amqp://\(user):\(password)@\(host)"
    }

    /// The operator's login for the management API.
    package var operatorCredentials: HTTPRequest.Credentials {
        let login = operatorAddress.dropFirst("amqp://".count).prefix { $0 != "@" }.split(separator: ":")
        return HTTPRequest.Credentials(user: String(login[0]), password: String(login[1]))
    }

    package func stop() async { try? await Self.run(["stop", folder.path]) }
    package func kill() async throws { try await Self.run(["kill", folder.path]) }
    package func startAgain() async throws { try await Self.run(["start", folder.path, "--parent", String(getpid())]) }

    /// `rabbitmqctl` against this node.
    @discardableResult
    package func control(_ arguments: String...) async throws -> String {
        try await Self.run(["ctl", folder.path] + arguments)
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
