package import Lane
package import Messages
package import SQLite

/// `experiment.tally.v1`: sums over the installs and users of this partition.
package struct TallyExperiment: QueryHandler {
    package static let isLengthy = true

    private let mostRenderings: Int

    package init(mostRenderings: Int = 2_000) { self.mostRenderings = mostRenderings }

    package func answer(
        _ query: ExperimentTallyGet, in snapshot: borrowing Snapshot
    ) throws -> Verdict<ExperimentTally> {
        let experiment = ExperimentSubject(
            organisation: query.organisation, app: query.app, experiment: query.experiment)
        let window = max(0, query.windowMilliseconds)
        let limit = query.at - .milliseconds(window)
        return .applied(
            ExperimentTally(
                counts: try TallyStore.counts(of: experiment, exposedBy: limit, window: window, in: snapshot),
                revenue: try TallyStore.revenue(of: experiment, exposedBy: limit, window: window, in: snapshot),
                renderings: try ImpressionStore.renderings(of: experiment, limit: mostRenderings, in: snapshot),
                audience: try TallyStore.audience(of: experiment, in: snapshot)))
    }
}
