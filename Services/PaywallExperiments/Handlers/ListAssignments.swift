package import Lane
package import Messages
package import SQLite

/// `assignment.list.v1`: what an install was assigned to.
package struct ListAssignments: QueryHandler {
    package static let isLengthy = true

    package init() {}

    package func answer(_ query: AssignmentList, in snapshot: borrowing Snapshot) throws -> Verdict<[Assignment]> {
        .applied(
            try AssignmentStore.all(
                of: query.install, of: query.app, of: query.organisation, in: query.experiment, in: snapshot))
    }
}
