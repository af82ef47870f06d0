package import Messages
package import ServiceKit
internal import Synchronization

/// What an edge knows of the names that apps have for their events: as event-ingest tells it to all, and on being asked.
///
/// What is known here is right as long as the news of it come; when they may have been missed it is forgotten, and asked for.
package final class EventNames: Sendable {
    private struct State {
        var young: [AppName: EventNameBook] = [:]
        var old: [AppName: EventNameBook] = [:]

        mutating func keep(_ book: EventNameBook, for app: AppName, capacity: Int) {
            if young.count >= capacity, young[app] == nil { (old, young) = (young, [:]) }
            young[app] = book
        }
    }

    private let capacity: Int
    private let deadline: Duration
    private let state = Mutex(State())
    private let claims: Claims

    /// - Parameters:
    ///   - ask: claims names.
    ///   - deadline: how long the answer may take.
    ///   - capacity: of how many apps the names are known at least; twice that at most.
    package init(
        ask: @escaping Ask<EventNameClaim>, deadline: Duration, capacity: Int = 5_000, metrics: MetricsRegistry
    ) {
        self.deadline = deadline
        self.capacity = capacity
        claims = Claims(ask: ask, metrics: metrics)
    }

    /// Forgets everything: news may have been missed until now.
    package func forget() { state.withLock { $0 = State() } }

    /// Takes in what an app's names are, unless what is known is newer.
    package func take(_ book: EventNameBook) {
        let app = AppName(book.app, of: book.organisation)
        state.withLock { state in
            guard book.edition >= (state.young[app] ?? state.old[app])?.edition ?? 0 else { return }
            state.keep(book, for: app, capacity: capacity)
        }
    }

    /// Those of `names` that a caller of `trust` may not use in `app`. What is neither known nor told in time is let
    /// through: event-ingest judges it later.
    package func rejected(among names: [EventName], of app: AppRecord, by trust: Trust) async -> Set<EventName> {
        let book = book(of: AppName(app))
        var (rejected, unknown): (Set<EventName>, [EventName]) = ([], [])
        for name in names {
            switch book?.verdict(on: name, for: trust) ?? .unknown {
            case .accepted: break
            case .rejected: rejected.insert(name)
            case .unknown: unknown.append(name)
            }
        }
        guard !unknown.isEmpty else { return rejected }
        let claim = EventNameClaim(organisation: app.organisation, app: app.app, names: unknown, trust: trust)
        guard let told = await claims.answer(to: claim, within: deadline) else { return rejected }
        take(told.book)
        return rejected.union(told.rejected)
    }

    /// Why those are rejected.
    package func fault(of app: AppRecord, for trust: Trust) -> EventFault {
        book(of: AppName(app))?.mayClaim(trust) == false ? .nameUnclaimable : .nameOverBudget
    }

    private func book(of app: AppName) -> EventNameBook? {
        state.withLock { state -> EventNameBook? in
            if let book = state.young[app] { return book }
            guard let book = state.old[app] else { return nil }
            state.keep(book, for: app, capacity: capacity)
            return book
        }
    }
}

/// Claims that are under way: the same one is put once for all who wait.
private actor Claims {
    private let ask: Ask<EventNameClaim>
    private let answered: Counter
    private let failed: Counter
    private var running: [EventNameClaim: Task<EventNameClaim.Value?, Never>] = [:]

    init(ask: @escaping Ask<EventNameClaim>, metrics: MetricsRegistry) {
        self.ask = ask
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "tollgate_edge_name_claims_total", "Times that event-ingest was asked for names of events",
                ["outcome": outcome])
        }
        (answered, failed) = (counter("answered"), counter("failed"))
    }

    func answer(to claim: EventNameClaim, within deadline: Duration) async -> EventNameClaim.Value? {
        if let task = running[claim] { return await task.value }
        // Not a child of the caller's task: others wait for it too, and it ends by its own deadline.
        let task = Task { [ask] in
            if case .applied(let value) = try? await ask(claim, deadline) {
                value
            } else {
                nil as EventNameClaim.Value?
            }
        }
        running[claim] = task
        let value = await task.value
        running[claim] = nil
        (value == nil ? failed : answered).add()
        return value
    }
}
