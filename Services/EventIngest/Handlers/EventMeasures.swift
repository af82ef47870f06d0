internal import Messages
package import ServiceKit

/// What the service shows of events at `/metrics`. A batch that is rolled back and applied again counts twice.
package struct EventMeasures: Sendable {
    private let metrics: MetricsRegistry
    private let stored: Counter
    private let repeated: Counter
    private let waiting: Counter
    private let shown: Counter
    private let claimed: Counter

    package init(in metrics: MetricsRegistry) {
        self.metrics = metrics
        stored = metrics.counter("tollgate_events_stored_total", "Events that are new and seen")
        repeated = metrics.counter("tollgate_events_repeated_total", "Events that were there already")
        waiting = metrics.counter(
            "tollgate_events_waiting_total", "Events that were put aside until their name is judged")
        shown = metrics.counter("tollgate_events_shown_total", "Events put aside whose name was accepted")
        claimed = metrics.counter("tollgate_event_names_claimed_total", "Names of events that apps used first")
    }

    /// Counts what became of a message's events.
    func count(_ value: EventsRecord.Value) {
        stored.add(value.stored)
        repeated.add(value.repeated)
        waiting.add(value.waiting)
        for rejected in value.rejected { dropped(rejected.code).add() }
    }

    /// Counts what became of events that waited.
    func count(_ settled: WaitingEvents.Settled) {
        shown.add(settled.shown)
        for (code, count) in settled.dropped { dropped(code).add(count) }
    }

    /// Counts events that were dropped because their name was taken back.
    func count(released events: Int) { if events > 0 { dropped(.nameReleased).add(events) } }

    /// Counts names that are an app's from now on.
    func count(claimed names: Int) { if names > 0 { claimed.add(names) } }

    private func dropped(_ code: EventFault) -> Counter {
        metrics.counter("tollgate_events_dropped_total", "Events that were dropped, by why", ["code": code.rawValue])
    }
}
