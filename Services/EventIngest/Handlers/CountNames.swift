internal import Apps
package import Lane
package import Messages
package import SQLite

/// `event-name.usage.v1`: how many events there are under each name of an app, waiting ones among them. Goes once through all
/// events, on a connection of its own.
package struct CountNames: QueryHandler {
    package static let isLengthy = true

    package init() {}

    package func answer(
        _ query: EventNameUsage, in snapshot: borrowing Snapshot
    ) throws -> Verdict<EventNameUsage.Value> {
        guard try AppStore.knows(query.app, of: query.organisation, in: snapshot) else { return .refused(.appUnknown) }
        let counts = try EventStore.counts(of: App(query.organisation, query.app), in: snapshot)
        return .applied(EventNameUsage.Value(counts: counts))
    }
}
