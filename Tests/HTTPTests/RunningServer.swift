import HTTP
import HTTPClient
import ServiceKit

/// A server on a port of its own for the length of a test.
struct RunningServer: Sendable {
    let port: UInt16
    let client = HTTPClient()
    let metrics: MetricsRegistry

    func get(_ path: String, method: String = "GET", headers: [String: String] = [:]) async throws -> HTTPResponse {
        try await client.send(HTTPRequest(method: method, url: "http://127.0.0.1:\(port)\(path)", headers: headers))
    }

    func post(_ path: String, _ body: [UInt8], headers: [String: String] = [:]) async throws -> HTTPResponse {
        try await client.send(
            HTTPRequest(method: "POST", url: "http://127.0.0.1:\(port)\(path)", headers: headers, body: body))
    }

    func connect() throws -> RawConnection { try RawConnection(port: port) }

    /// Runs the server while `body` runs, then stops it and waits until it has stopped.
    static func with<Value: Sendable>(
        _ router: Router, _ configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
        _ body: @Sendable (RunningServer) async throws -> Value
    ) async throws -> Value {
        let metrics = MetricsRegistry()
        let server = try HTTPServer(
            configuration, router: router, logger: Logger(service: "test") { _ in }, metrics: metrics)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            return try await body(RunningServer(port: server.port, metrics: metrics))
        }
    }
}

/// Lets one side wait until the other has come to a point.
final class Gate: Sendable {
    private let opens: AsyncStream<Void>
    private let opened: AsyncStream<Void>.Continuation

    init() { (opens, opened) = AsyncStream.makeStream() }

    func open() { opened.finish() }

    /// Returns when the gate is open, even if the task was cancelled; more than one may wait.
    func wait() async {
        await Task { for await _ in opens {} }.value
    }
}

extension Router {
    /// `/echo` gives the body back, `/ping` says pong.
    static var simple: Router {
        var router = Router()
        router.get("/ping") { _ in .text("pong") }
        router.post("/echo") { request in Response(body: request.body) }
        return router
    }
}
