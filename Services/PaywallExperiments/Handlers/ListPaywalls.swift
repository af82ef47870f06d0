package import Lane
package import Messages
package import SQLite

/// `paywall.list.v1`: an app's paywalls, or every version of one.
package struct ListPaywalls: QueryHandler {
    package init() {}

    package func answer(
        _ query: PaywallList, in snapshot: borrowing Snapshot
    ) throws -> Verdict<[PaywallConfiguration]> {
        if let entitlement = query.entitlement {
            return .applied(
                try PaywallStore.versions(of: entitlement, of: query.app, of: query.organisation, in: snapshot))
        }
        let all = try PaywallStore.all(of: query.app, of: query.organisation, in: snapshot)
        return .applied(all.filter { !$0.skus.isEmpty })
    }
}
