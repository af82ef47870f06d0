public import ServiceKit
internal import Synchronization

/// An HTTP/1.1 server: one thread of libmicrohttpd for the sockets, one task for each request.
///
/// It listens from `init` on, so the port is known, and a client that comes before ``run()`` waits in the backlog.
/// No request holds the socket thread: while a handler works, its connection is set aside, and if the handler misses
/// its deadline, the server answers 503 for it. `run()` returns when it was cancelled: it then takes no new
/// connections, lets what is under way finish within the grace period, answers the rest with 503, and closes.
public final class HTTPServer: Service {
    /// Where it listens; never 0.
    public let port: UInt16

    private let core: ServerCore
    private let socket: Mutex<ListeningSocket?>

    /// Starts to listen.
    ///
    /// - Throws: ``HTTPServerError`` when it cannot.
    public init(
        _ configuration: HTTPServerConfiguration = HTTPServerConfiguration(), router: Router, logger: Logger,
        metrics: MetricsRegistry = MetricsRegistry()
    ) throws(HTTPServerError) {
        let socket = try ListeningSocket(
            address: configuration.address, port: configuration.port, backlog: configuration.backlog)
        port = socket.port
        core = ServerCore(configuration: configuration, router: router, logger: logger, metrics: metrics)
        self.socket = Mutex(socket)
    }

    /// Serves until cancelled.
    ///
    /// - Throws: ``HTTPServerError`` when the library does not start, or when the server has run before.
    public func run() async throws {
        let daemon = try Daemon(listeningAt: takeSocket(), port: port, core: core)
        let (stops, stop) = AsyncStream.makeStream(of: Never.self)
        let core = core
        await withTaskCancellationHandler {
            // A task of its own, because what is left to do after the cancellation must not be cancelled with it.
            await Task { await Self.serve(daemon, core, until: stops) }.value
        } onCancel: {
            stop.finish()
        }
    }

    private func takeSocket() throws(HTTPServerError) -> ListeningSocket {
        let socket = self.socket.withLock { $0.take() }
        guard let socket else {
            throw HTTPServerError(operation: "run again at", endpoint: "port \(port)", reason: "it runs once")
        }
        return socket
    }

    private static func serve(_ daemon: Daemon, _ core: ServerCore, until stops: AsyncStream<Never>) async {
        let clock = Task {
            while !Task.isCancelled {
                core.enforceDeadlines()
                try? await Task.sleep(for: core.tick)
            }
        }
        for await _ in stops {}
        daemon.stopAccepting()
        core.drain()
        await core.waitUntilIdle(atMost: core.configuration.gracePeriod)
        await core.refuseEverything()
        // For the refusals to leave; who does not take his within a second will not be waited for.
        await core.waitUntilIdle(atMost: .seconds(1))
        clock.cancel()
        await clock.value
    }
}
