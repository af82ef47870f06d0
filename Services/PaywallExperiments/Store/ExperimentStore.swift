internal import Lane
package import Messages
package import SQLite

/// The experiments of apps: the newest version of each, which has its past in it.
package enum ExperimentStore {
    /// The experiment as it is now.
    package static func record(
        of experiment: ExperimentID, of app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Experiment? {
        try store.first(
            "SELECT record FROM experiments WHERE organisation = ? AND app = ? AND id = ?", SQLValue(organisation),
            SQLValue(app), SQLValue(experiment)
        ) { try $0.json(0) }
    }

    /// How many an app has.
    static func count(
        of app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> Int {
        try store.first(
            "SELECT COUNT(*) FROM experiments WHERE organisation = ? AND app = ?", SQLValue(organisation),
            SQLValue(app)
        ) { try $0.int(0) } ?? 0
    }

    /// The next `limit` of an app behind one, by id.
    static func page(
        of app: AppID, of organisation: OrganisationID, after: ExperimentID?, limit: Int,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [Experiment] {
        try store.all(
            "SELECT record FROM experiments WHERE organisation = ? AND app = ? AND id > ? ORDER BY id LIMIT ?",
            SQLValue(organisation), SQLValue(app), SQLValue(after?.rawValue ?? ""), SQLValue(limit)
        ) { try $0.json(0) }
    }

    /// Id and version of those on a paywall that are not stopped: the one that runs, then the newest drafts.
    ///
    /// Where two are said to run because the end of one has not been heard of yet, the one that was started last does.
    static func alive(
        on entitlement: EntitlementID, of app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [PlanStamp.Version] {
        try store.all(
            """
            SELECT id, version FROM experiments
            WHERE organisation = ? AND app = ? AND entitlement = ? AND state <> 'stopped'
            ORDER BY started_at IS NULL, started_at DESC, created_at DESC, id LIMIT 10
            """, SQLValue(organisation), SQLValue(app), SQLValue(entitlement)
        ) { PlanStamp.Version(id: try $0.id(0), version: try $0.int(1)) }
    }

    /// Keeps a version unless a newer one is there.
    static func record(_ experiment: Experiment, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO experiments (
                organisation, app, id, entitlement, state, created_at, started_at, version, record)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET
                entitlement = excluded.entitlement, state = excluded.state, created_at = excluded.created_at,
                started_at = excluded.started_at, version = excluded.version, record = excluded.record
            WHERE excluded.version > version
            """, SQLValue(experiment.organisation), SQLValue(experiment.app), SQLValue(experiment.id),
            SQLValue(experiment.entitlement), SQLValue(experiment.state), SQLValue(experiment.createdAt),
            SQLValue(experiment.startedAt), SQLValue(experiment.version), .blob(try MessageJSON.encode(experiment)))
    }
}
