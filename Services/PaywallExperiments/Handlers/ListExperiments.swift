package import Lane
package import Messages
package import SQLite

/// `experiment.list.v1`: an app's experiments, a page at a time.
package struct ListExperiments: QueryHandler {
    /// As many as fit into a message at their largest.
    static let pageCount = 10

    package init() {}

    package func answer(
        _ query: ExperimentList, in snapshot: borrowing Snapshot
    ) throws -> Verdict<ExperimentList.Value> {
        let (app, organisation) = (query.app, query.organisation)
        if let id = query.experiment {
            let found = try ExperimentStore.record(of: id, of: app, of: organisation, in: snapshot)
            return .applied(.init(experiments: found.map { [$0] } ?? []))
        }
        let page = try ExperimentStore.page(
            of: app, of: organisation, after: query.after, limit: Self.pageCount, in: snapshot)
        return .applied(.init(experiments: page, next: page.count == Self.pageCount ? page.last?.id : nil))
    }
}
