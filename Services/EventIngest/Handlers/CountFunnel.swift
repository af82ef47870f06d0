internal import Apps
package import Lane
package import Messages
package import SQLite

/// `funnel.count.v1`: how far an app's users have come. Goes once through all users of the app, on a connection of its own.
package struct CountFunnel: QueryHandler {
    package static let isLengthy = true

    package init() {}

    package func answer(_ query: FunnelCount, in snapshot: borrowing Snapshot) throws -> Verdict<FunnelTally> {
        let app = App(query.organisation, query.app)
        guard try AppStore.knows(app.id, of: app.organisation, in: snapshot) else { return .refused(.appUnknown) }
        let steps = Array(query.steps.prefix(Funnel.mostSteps))
        var counter = FunnelCounter(
            steps: steps.count, indices: query.indices,
            answersTo: query.answersTo.map { steps.firstIndex(of: $0) ?? -1 })
        let places = try FunnelStepStore.places(of: steps, in: app, in: snapshot)
        try FunnelUserStore.forEach(
            of: app, in: query.environment ?? .production, by: FunnelView(of: query.trust), from: query.from,
            to: query.to, in: snapshot
        ) { user in
            counter.count(
                user.steps, at: places[user.bucket] ?? [], isExposed: user.isExposed, hasPurchased: user.hasPurchased,
                isRefunded: user.isRefunded)
        }
        return .applied(counter.tally)
    }
}
