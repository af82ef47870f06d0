internal import Apps
package import Lane
package import Messages
package import SQLite

/// `funnel.steps.v1`: the onboarding steps that this partition has heard of.
package struct ListFunnelSteps: QueryHandler {
    package static let isLengthy = true

    private let partitions: Int

    /// - Parameter partitions: how many there are, for whoever asks all of them.
    package init(partitions: Int) { self.partitions = partitions }

    package func answer(_ query: FunnelSteps, in snapshot: borrowing Snapshot) throws -> Verdict<FunnelSteps.Value> {
        let app = App(query.organisation, query.app)
        guard try AppStore.knows(app.id, of: app.organisation, in: snapshot) else { return .refused(.appUnknown) }
        let steps = try FunnelStepStore.steps(
            of: app, in: FunnelView(of: query.trust), limit: Funnel.mostSteps, in: snapshot)
        return .applied(FunnelSteps.Value(steps: steps, partitions: partitions))
    }
}
