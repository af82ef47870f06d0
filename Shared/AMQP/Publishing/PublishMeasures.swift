import Messaging
import ServiceKit

/// What `/metrics` shows of publishing.
struct PublishMeasures: Sendable {
    let outcomes: OutcomeCounters
    /// 1 while there is a connection.
    let connected: Gauge
    /// 1 while the broker takes nothing.
    let blocked: Gauge

    init(_ metrics: MetricsRegistry) {
        outcomes = OutcomeCounters("tollgate_published_total", "Publications by what became of them", in: metrics)
        connected = metrics.gauge("tollgate_broker_connected", "Whether the publisher has a connection")
        blocked = metrics.gauge("tollgate_broker_blocked", "Whether the broker takes no messages")
    }
}
