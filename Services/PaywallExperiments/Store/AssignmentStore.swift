internal import Lane
package import Messages
package import SQLite

/// To which variants installs were assigned, for good.
package enum AssignmentStore {
    /// Whose assignment: of one install in one environment.
    package struct Holder: Sendable, Hashable {
        package var organisation: OrganisationID
        package var app: AppID
        package var install: InstallID
        package var environment: StoreEnvironment

        package init(
            organisation: OrganisationID, app: AppID, install: InstallID, environment: StoreEnvironment
        ) {
            self.organisation = organisation
            self.app = app
            self.install = install
            self.environment = environment
        }

        var bindings: [SQLValue] {
            [SQLValue(organisation), SQLValue(app), SQLValue(install), SQLValue(environment)]
        }
    }

    /// To what it was assigned in an experiment; nil: it was not.
    package static func assignment(
        of holder: Holder, in experiment: ExperimentID, in store: borrowing some Reading & ~Copyable
    ) throws -> Assignment? {
        try store.first(
            """
            SELECT experiment, environment, variant, epoch, trust, assigned_at FROM assignments
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ? AND experiment = ?
            """, bindings: holder.bindings + [SQLValue(experiment)]
        ) { try assignment($0) }
    }

    /// Whether it takes part in any experiment.
    static func isAny(of holder: Holder, in store: borrowing some Reading & ~Copyable) throws -> Bool {
        try store.first(
            """
            SELECT 1 FROM assignments WHERE organisation = ? AND app = ? AND install = ? AND environment = ? LIMIT 1
            """, bindings: holder.bindings
        ) { try $0.int(0) } != nil
    }

    /// All of an install, by environment and experiment: up to 1,000.
    static func all(
        of install: InstallID, of app: AppID, of organisation: OrganisationID, in experiment: ExperimentID?,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [Assignment] {
        try store.all(
            """
            SELECT experiment, environment, variant, epoch, trust, assigned_at FROM assignments
            WHERE organisation = ?1 AND app = ?2 AND install = ?3 AND (?4 IS NULL OR experiment = ?4)
            ORDER BY environment, experiment LIMIT 1000
            """, SQLValue(organisation), SQLValue(app), SQLValue(install), SQLValue(experiment)
        ) { try assignment($0) }
    }

    /// Keeps an assignment unless there is one.
    static func record(
        _ assignment: Assignment, of holder: Holder, bucket: Bucket, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO assignments (
                organisation, app, install, environment, experiment, bucket, variant, epoch, trust, assigned_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            bindings: holder.bindings + [
                SQLValue(assignment.experiment), SQLValue(bucket.number), SQLValue(assignment.variant),
                SQLValue(assignment.epoch), SQLValue(assignment.trust), SQLValue(assignment.assignedAt),
            ])
    }

    /// A genuine app has asked for it as well.
    static func attest(
        _ holder: Holder, in experiment: ExperimentID, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            UPDATE assignments SET trust = ?
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ? AND experiment = ?
            """, bindings: [SQLValue(Trust.attested)] + holder.bindings + [SQLValue(experiment)])
    }

    private static func assignment(_ row: borrowing Row) throws -> Assignment {
        Assignment(
            experiment: try row.id(0), environment: try row.id(1), variant: try row.id(2), epoch: try row.int(3),
            trust: try row.id(4), assignedAt: try row.time(5))
    }
}
