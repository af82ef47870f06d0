internal import ServiceKit

/// What is measured of one route. Made once: looking an instrument up takes the registry's lock.
struct RouteInstruments: Sendable {
    private let responses: [Counter]
    private let time: Histogram

    /// - Parameter route: the pattern, or `none` for what no route answers.
    init(_ route: String, in metrics: MetricsRegistry) {
        responses = (2...5).map { hundreds in
            metrics.counter(
                "http_responses_total", "Responses to requests that arrived whole",
                ["route": route, "status": "\(hundreds)xx"])
        }
        time = metrics.histogram(
            "http_handling_seconds", "From a request's last byte to its answer", ["route": route])
    }

    func record(_ status: HTTPStatus, after duration: Duration) {
        responses[min(max(status.rawValue / 100 - 2, 0), 3)].add()
        time.record(duration)
    }
}
