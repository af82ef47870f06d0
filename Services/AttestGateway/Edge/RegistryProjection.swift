package import HTTP
package import Messages
package import ServiceKit
internal import Synchronization

/// An edge's copy of the registry: what handlers look things up in.
///
/// ``RegistryFollower`` keeps it up to date. While it cannot, the copy is *stale*: what it knows is served, and nothing
/// is said to be unknown.
package final class RegistryProjection: Sendable {
    /// What came of looking something up.
    package enum Finding<Value: Sendable>: Sendable {
        /// It is there.
        case found(Value)
        /// It is not: the copy is fresh, and the registry itself was asked after the caller came.
        case absent
        /// Nobody can say now.
        case unavailable
    }

    /// How far the copy is to be relied on.
    package enum Standing: Sendable, Equatable {
        /// No snapshot yet.
        case empty
        /// It may lack what the registry has published since.
        case stale
        /// It follows the registry.
        case fresh
    }

    private struct State {
        var view: RegistryView?
        var isFresh = false
    }

    /// Apart from the projection, because the question writes into it too.
    private final class Copy: Sendable {
        let state = Mutex(State())
    }

    private let copy: Copy
    private let question: RepeatedQuestion
    private let version: Gauge
    private let freshness: Gauge

    /// - Parameters:
    ///   - ask: puts a question to the registry.
    ///   - deadline: how long an answer may take, when something is not known here.
    ///   - distance: between two such questions.
    package init(
        ask: @escaping Ask<RegistrySnapshot>, deadline: Duration = .milliseconds(800),
        distance: Duration = .milliseconds(100), metrics: MetricsRegistry
    ) {
        let copy = Copy()
        let answered = metrics.counter(
            "tollgate_registry_questions_total", "Times the registry was asked for something unknown",
            ["outcome": "answered"])
        let failed = metrics.counter(
            "tollgate_registry_questions_total", "Times the registry was asked for something unknown",
            ["outcome": "failed"])
        question = RepeatedQuestion(distance: distance) {
            let query = RegistrySnapshot(omitsDevices: true)
            guard case .applied(let snapshot) = try? await ask(query, deadline) else {
                failed.add()
                return false
            }
            answered.add()
            copy.state.withLock { $0.view?.merge(snapshot) }
            return true
        }
        self.copy = copy
        version = metrics.gauge("tollgate_registry_version", "The newest version of the registry that this edge knows")
        freshness = metrics.gauge("tollgate_registry_fresh", "1 while this edge follows the registry, else 0")
    }

    // MARK: For handlers

    /// What `look` finds in the copy as it is.
    package func known<Value>(_ look: (RegistryView) -> Value?) -> Value? { current.view.flatMap(look) }

    /// What `look` finds; before it is said to be absent, the registry is asked.
    package func find<Value: Sendable>(_ look: (RegistryView) -> Value?) async -> Finding<Value> {
        if let value = known(look) { return .found(value) }
        guard standing == .fresh, await question.answer() else { return .unavailable }
        let state = current
        if let value = state.view.flatMap(look) { return .found(value) }
        return state.isFresh ? .absent : .unavailable
    }

    private var current: State { copy.state.withLock { $0 } }

    // MARK: For its follower

    /// From here on the copy follows the registry: events go on where `snapshot` ends.
    package func begin(with snapshot: RegistrySnapshot.Value) {
        copy.state.withLock { $0 = State(view: RegistryView(snapshot), isFresh: true) }
        note()
    }

    /// Stands in while there is nothing better: the last known state from disk.
    ///
    /// - Returns: whether there was nothing better.
    package func standIn(_ snapshot: RegistrySnapshot.Value) -> Bool {
        defer { note() }
        return copy.state.withLock { state in
            guard state.view == nil else { return false }
            state.view = RegistryView(snapshot)
            return true
        }
    }

    /// Takes an event's record in.
    ///
    /// - Returns: whether it was news.
    @discardableResult
    package func take(_ record: AppRecord) -> Bool {
        defer { note() }
        return copy.state.withLock { $0.view?.take(record) ?? false }
    }

    /// Takes an event's record in.
    ///
    /// - Returns: whether it was news.
    @discardableResult
    package func take(_ record: KeyRecord) -> Bool {
        defer { note() }
        return copy.state.withLock { $0.view?.take(record) ?? false }
    }

    /// Takes an event's device in.
    ///
    /// - Returns: whether it was news.
    @discardableResult
    package func take(_ standing: DeviceStanding) -> Bool {
        defer { note() }
        return copy.state.withLock { $0.view?.take(standing) ?? false }
    }

    /// Events may be missing from here on.
    package func lostTouch() {
        copy.state.withLock { $0.isFresh = false }
        note()
    }

    /// All that is known; nil before the first snapshot.
    package var snapshot: RegistrySnapshot.Value? { known(\.snapshot) }

    /// How far the copy is to be relied on.
    package var standing: Standing {
        let state = current
        return state.view == nil ? .empty : state.isFresh ? .fresh : .stale
    }

    /// For `/readyz`.
    package var readiness: HealthRoutes.Finding {
        switch standing {
        case .empty: .failed("registry_snapshot_missing")
        case .stale: .degraded("registry_snapshot_stale")
        case .fresh: .ok
        }
    }

    private func note() {
        let state = current
        version.set(state.view?.version ?? 0)
        freshness.set(state.isFresh ? 1 : 0)
    }
}
