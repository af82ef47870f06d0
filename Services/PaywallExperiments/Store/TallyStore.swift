internal import Lane
internal import Messages
internal import SQLite

/// One experiment of one app.
struct ExperimentSubject: Hashable {
    var organisation: OrganisationID
    var app: AppID
    var experiment: ExperimentID

    /// As `(organisation, app, experiment)`.
    var bindings: [SQLValue] { [SQLValue(organisation), SQLValue(app), SQLValue(experiment)] }
}

/// Sums over an experiment, counted when they are asked for: from indices that hold all that it takes.
enum TallyStore {
    /// How many installs did what, by stratum.
    ///
    /// - Parameters:
    ///   - limit: whoever was exposed by then had the whole of the window.
    ///   - window: for how long after the exposure a conversion counts.
    static func counts(
        of experiment: ExperimentSubject, exposedBy limit: Timestamp, window: Int64,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [ExperimentTally.Count] {
        var counts: [ExperimentTally.Stratum: ExperimentTally.Count] = [:]
        try store.forEach(
            """
            SELECT epoch, variant, environment, trust, COUNT(*) FROM assignments
            WHERE organisation = ? AND app = ? AND experiment = ? GROUP BY environment, trust, epoch, variant
            """, bindings: experiment.bindings
        ) { row in
            let stratum = try row.stratum(0)
            counts[stratum, default: .init(stratum: stratum)].assigned = try row.int(4)
        }
        try store.forEach(
            """
            SELECT epoch, variant, environment, trust, COUNT(*), COUNT(converted_at),
                SUM(exposed_at <= ?4), SUM(exposed_at <= ?4 AND IFNULL(converted_at - exposed_at <= ?5, 0))
            FROM exposures WHERE organisation = ?1 AND app = ?2 AND experiment = ?3
            GROUP BY environment, trust, epoch, variant
            """, bindings: experiment.bindings + [SQLValue(limit), SQLValue(window)]
        ) { row in
            let stratum = try row.stratum(0)
            var count = counts[stratum] ?? .init(stratum: stratum)
            count.exposed = try row.int(4)
            count.converted = try row.int(5)
            count.matured = try row.int(6)
            count.maturedConverted = try row.int(7)
            counts[stratum] = count
        }
        try store.forEach(outcomes, bindings: experiment.bindings) { row in
            let stratum = try row.stratum(0)
            var count = counts[stratum] ?? .init(stratum: stratum)
            count.refunds = try row.int(4)
            count.unpriced = try row.int(5)
            count.unverified = try row.int(6)
            counts[stratum] = count
        }
        return counts.values.sorted { $0.stratum < $1.stratum }
    }

    /// What was paid, by stratum and currency.
    static func revenue(
        of experiment: ExperimentSubject, exposedBy limit: Timestamp, window: Int64,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [ExperimentTally.Revenue] {
        try store.all(revenue, bindings: experiment.bindings + [SQLValue(limit), SQLValue(window)]) { row in
            ExperimentTally.Revenue(
                stratum: try row.stratum(0), currency: try row.text(4), paid: try row.int64(5),
                refunded: try row.int64(6), matured: try row.int64(7), maturedSquares: try row.real(8),
                maturedPayers: try row.int(9))
        }
    }

    private static let outcomes = SQL(
        composed: """
            SELECT e.epoch, e.variant, e.environment, e.trust, COUNT(o.refund), SUM(o.paid IS NULL), SUM(o.rank = 0)
            FROM outcomes o CROSS JOIN exposures e USING (organisation, app, install, experiment, environment)
            WHERE o.organisation = ? AND o.app = ? AND o.experiment = ? AND o.counts = 1
                AND \(ExposureStore.isOfItsTrust)
            GROUP BY e.environment, e.trust, e.epoch, e.variant
            """)
    private static let revenue = SQL(
        composed: """
            SELECT epoch, variant, environment, trust, currency, SUM(paid), SUM(refunded), SUM(matured),
                TOTAL(CAST(matured AS REAL) * matured), SUM(matured > 0)
            FROM (
                SELECT e.epoch, e.variant, e.environment, e.trust, o.currency, SUM(o.paid) AS paid,
                    SUM(o.refunded) AS refunded,
                    SUM(
                        IIF(e.exposed_at <= ?4 AND o.purchased_at - e.exposed_at <= ?5, o.paid - o.refunded, 0)
                    ) AS matured
                FROM outcomes o CROSS JOIN exposures e USING (organisation, app, install, experiment, environment)
                WHERE o.organisation = ?1 AND o.app = ?2 AND o.experiment = ?3 AND o.counts = 1
                    AND o.currency IS NOT NULL AND \(ExposureStore.isOfItsTrust)
                GROUP BY o.environment, o.install, o.currency
            )
            GROUP BY environment, trust, epoch, variant, currency
            """)

    /// How many users have seen it.
    static func audience(
        of experiment: ExperimentSubject, in store: borrowing some Reading & ~Copyable
    ) throws -> [ExperimentTally.Audience] {
        try store.all(
            """
            SELECT environment, trust, COUNT(*), SUM(of_several) FROM exposed_users
            WHERE organisation = ? AND app = ? AND experiment = ? GROUP BY environment, trust
            """, bindings: experiment.bindings
        ) {
            ExperimentTally.Audience(
                environment: try $0.id(0), trust: try $0.id(1), users: try $0.int(2),
                ofSeveralVariants: try $0.int(3))
        }
    }
}

extension Row {
    /// From `epoch, variant, environment, trust`.
    borrowing func stratum(_ column: Int) throws -> ExperimentTally.Stratum {
        ExperimentTally.Stratum(
            epoch: try int(column), variant: try id(column + 1), environment: try id(column + 2),
            trust: try id(column + 3))
    }
}
