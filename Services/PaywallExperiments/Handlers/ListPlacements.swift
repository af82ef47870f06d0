package import Lane
package import Messages
package import SQLite

/// `placement.list.v1`: which paywalls the places of an app show.
package struct ListPlacements: QueryHandler {
    package init() {}

    package func answer(_ query: PlacementList, in snapshot: borrowing Snapshot) throws -> Verdict<[Placement]> {
        let all = try PlacementStore.all(of: query.app, of: query.organisation, in: snapshot)
        return .applied(all.filter { $0.entitlement != nil })
    }
}
