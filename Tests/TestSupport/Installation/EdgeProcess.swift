import Foundation
package import HTTPClient
import Messages

/// A process with the role edge alone, beside the one of an installation that has the registry too. It has a port and a
/// folder of its own, and shares nothing with it but the file of keys.
package final class EdgeProcess: Sendable {
    /// Where it takes requests.
    package let port: Int
    private let healthPort: Int
    private let http: HTTPClient
    private let program: RunningProgram

    fileprivate init(_ environment: [String: String], log: URL, http: HTTPClient) throws {
        port = try freePort()
        healthPort = try freePort()
        self.http = http
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let handle = try FileHandle(forWritingTo: log)
        program = try RunningProgram(
            BuiltExecutable(ServiceName.attestGateway.rawValue),
            environment: environment.merging([
                "TOLLGATE_ROLES": "edge", "TOLLGATE_HTTP_PORT": String(port),
                "TOLLGATE_HEALTH_PORT": String(healthPort),
            ]) { $1 }, output: handle, errors: handle)
    }

    /// What `/readyz` answers.
    package func readiness() async throws -> HTTPResponse { try await get("readyz") }

    /// A number that it shows at `/metrics`, as ``Installation/number(_:of:)``.
    package func number(_ name: String) async throws -> Double { try await get("metrics").number(name) }

    private func get(_ path: String) async throws -> HTTPResponse {
        try await http.send(
            HTTPRequest(method: "GET", url: "http://127.0.0.1:\(healthPort)/\(path)", timeout: .seconds(3)))
    }

    /// Sends `signal` and waits for the end: exit status, or the signal's number.
    @discardableResult
    package func stop(_ signal: Int32 = SIGKILL) async -> Int32 {
        program.signal(signal)
        return await program.exitStatus
    }
}

extension Installation {
    /// Starts another edge; ready when this returns.
    ///
    /// - Parameter more: settings, in place of those that every service has.
    package func startEdge(named name: String = "edge", _ more: [String: String] = [:]) async throws -> EdgeProcess {
        let settings = environment(of: .attestGateway).merging([
            "TOLLGATE_STORE": folder.appendingPathComponent("stores/\(name)").path,
            "TOLLGATE_TOKEN_KEYS": storeFolder(of: .attestGateway) + "/token-keys",
        ]) { $1 }
        let edge = try EdgeProcess(
            settings.merging(more) { $1 }, log: folder.appendingPathComponent("\(name).log"), http: http)
        let isReady = await eventually(within: .seconds(30)) { (try? await edge.readiness().status) == 200 }
        guard isReady else { throw TestFailure("\(name) is not ready") }
        return edge
    }
}
