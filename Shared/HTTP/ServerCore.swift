internal import ServiceKit
internal import Synchronization

/// What the daemon's thread, the requests' tasks and the server's own task share.
final class ServerCore: Sendable {
    private enum Stage: Int {
        case serving
        /// Answers close their connections.
        case draining
        /// Nothing is handed to a handler any more.
        case refusing
    }

    let configuration: HTTPServerConfiguration
    let table: RouteTable
    let responder: Responder
    /// How often deadlines are looked at: the longest that one is overdrawn.
    let tick: Duration

    private let routeInstruments: [String: RouteInstruments]
    private let unrouted: RouteInstruments
    private let metrics: MetricsRegistry
    private let openConnections: Gauge
    private let bufferedBytes: Gauge
    private let stage = Atomic(Stage.serving.rawValue)
    /// Requests whose first line has arrived and whose answer is not sent.
    private let requests = Atomic(0)
    private let bodyBytes = Atomic(0)
    /// Connections that are answered, and at this moment being resumed.
    private let resuming = Atomic(0)
    private let connections = Mutex<[ObjectIdentifier: ServerConnection]>([:])

    init(configuration: HTTPServerConfiguration, router: Router, logger: Logger, metrics: MetricsRegistry) {
        self.configuration = configuration
        table = RouteTable(router.routes)
        responder = Responder(around: router.around, options: router.options, logger: logger)
        let patterns = Set(router.routes.map(\.pattern.text))
        routeInstruments = Dictionary(
            uniqueKeysWithValues: patterns.map { ($0, RouteInstruments($0, in: metrics)) })
        unrouted = RouteInstruments("none", in: metrics)
        self.metrics = metrics
        openConnections = metrics.gauge("http_connections", "Connections that are open")
        bufferedBytes = metrics.gauge("http_buffered_body_bytes", "Bytes of request bodies in memory")
        let deadlines =
            router.routes.compactMap(\.limits.deadline) + [
                configuration.handlerDeadline, configuration.transferTimeout,
            ]
        let shortest = deadlines.min() ?? configuration.handlerDeadline
        tick = min(max(shortest / 10, .milliseconds(5)), .milliseconds(100))
    }

    // MARK: Connections

    func add(_ connection: ServerConnection) {
        openConnections.add(1)
        connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    }

    func remove(_ connection: ServerConnection) {
        openConnections.add(-1)
        connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    func enforceDeadlines() {
        let now = ContinuousClock.now
        for connection in snapshot() { connection.enforceDeadline(now) }
    }

    private func snapshot() -> [ServerConnection] { connections.withLock { Array($0.values) } }

    // MARK: Requests

    func requestBegan() { requests.add(1, ordering: .relaxed) }

    func requestEnded() { requests.subtract(1, ordering: .relaxed) }

    func instruments(_ route: String?) -> RouteInstruments { route.flatMap { routeInstruments[$0] } ?? unrouted }

    /// Counts a refusal that no handler was asked about.
    func count(refusal: HTTPError) {
        metrics.counter(
            "http_refusals_total", "Requests refused before a handler was asked", ["code": refusal.code]
        ).add()
    }

    func withDefaults(_ response: Response, of route: HTTPHeaders) -> Response {
        var response = response
        for field in route.fields + configuration.responseHeaders.fields where response.headers[field.name] == nil {
            response.headers.add(field.name, field.value)
        }
        return response
    }

    /// - Throws: 503 when the bodies of all requests together pass the limit; then nothing was reserved.
    func reserveBodyMemory(_ count: Int) throws(HTTPError) {
        let total = bodyBytes.add(count, ordering: .relaxed).newValue
        bufferedBytes.add(count)
        guard total <= configuration.bodyMemoryLimit else {
            releaseBodyMemory(count)
            throw .serviceUnavailable("overloaded", "Too much is being uploaded at this time", retryAfter: 1)
        }
    }

    func releaseBodyMemory(_ count: Int) {
        bodyBytes.subtract(count, ordering: .relaxed)
        bufferedBytes.add(-count)
    }

    // MARK: Stopping

    var isStopping: Bool { stage.load(ordering: .acquiring) != Stage.serving.rawValue }

    var isRefusing: Bool { stage.load(ordering: .acquiring) == Stage.refusing.rawValue }

    func willResume() { resuming.add(1, ordering: .relaxed) }

    func didResume() { resuming.subtract(1, ordering: .releasing) }

    func drain() { stage.store(Stage.draining.rawValue, ordering: .releasing) }

    /// After this no connection is suspended, and none will be.
    func refuseEverything() async {
        stage.store(Stage.refusing.rawValue, ordering: .releasing)
        for connection in snapshot() { connection.abandon() }
        while resuming.load(ordering: .acquiring) > 0 { await Task.yield() }
    }

    /// Waits until every request that has begun is answered.
    func waitUntilIdle(atMost time: Duration) async {
        let end = ContinuousClock.now + time
        while requests.load(ordering: .relaxed) > 0, .now < end {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }
}
