import Messaging
import ServiceKit

/// What `/metrics` shows of publishing.
struct PublishMeasures: Sendable {
    private let confirmed: Counter
    private let returned: Counter
    private let refused: Counter
    private let notSent: Counter
    private let unknown: Counter
    /// 1 while there is a connection.
    let connected: Gauge
    /// 1 while the broker takes nothing.
    let blocked: Gauge

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter("tollgate_published_total", "Publications by what became of them", ["outcome": outcome])
        }
        confirmed = counter("confirmed")
        returned = counter("returned")
        refused = counter("refused")
        notSent = counter("not_sent")
        unknown = counter("unknown")
        connected = metrics.gauge("tollgate_broker_connected", "Whether the publisher has a connection")
        blocked = metrics.gauge("tollgate_broker_blocked", "Whether the broker takes no messages")
    }

    func count(_ outcomes: [PublishOutcome]) {
        for outcome in outcomes {
            switch outcome {
            case .confirmed: confirmed.add()
            case .returned: returned.add()
            case .refused: refused.add()
            case .notSent: notSent.add()
            case .unknown: unknown.add()
            }
        }
    }
}
