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
        let counts = try snapshot.all(
            """
            SELECT name, SUM(is_attested), SUM(1 - is_attested) FROM (
                SELECT name, is_attested FROM events WHERE organisation = ?1 AND app = ?2
                UNION ALL SELECT name, is_attested FROM waiting_events WHERE organisation = ?1 AND app = ?2)
            GROUP BY name ORDER BY name
            """, SQLValue(query.organisation), SQLValue(query.app)
        ) { EventNameUsage.Value.Count(name: try $0.id(0), attested: try $0.int(1), unverified: try $0.int(2)) }
        return .applied(EventNameUsage.Value(counts: counts))
    }
}
