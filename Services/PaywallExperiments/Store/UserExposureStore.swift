internal import Lane
internal import Messages
internal import SQLite

/// Exposures of the installs that have named a user, on his side.
enum UserExposureStore {
    /// An exposure, and since when its install has named the user.
    struct Row: Hashable {
        var exposure: Exposure
        var namedAt: Timestamp
    }

    /// The exposure of one install to one experiment.
    static func row(
        of customer: Customer, _ field: Exposure.Field, _ install: InstallID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Row? {
        try store.first(
            """
            SELECT install, variant, epoch, exposed_at, named_at, app, experiment, environment, trust
            FROM user_exposures
            WHERE organisation = ? AND user = ? AND app = ? AND experiment = ? AND environment = ? AND install = ?
            """,
            bindings: customer.bindings + [
                SQLValue(field.app), SQLValue(field.experiment), SQLValue(field.environment), SQLValue(install),
            ]
        ) { try row($0) }
    }

    /// Puts an exposure in the place of what is there, which is `known`.
    static func save(
        _ row: Row, insteadOf known: Row?, of customer: Customer, in transaction: borrowing Transaction
    ) throws {
        let (exposure, field) = (row.exposure, row.exposure.field)
        try transaction.run(
            """
            REPLACE INTO user_exposures (
                organisation, user, app, experiment, environment, install, bucket, trust, epoch, variant, exposed_at,
                named_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            bindings: customer.bindings + [
                SQLValue(field.app), SQLValue(field.experiment), SQLValue(field.environment),
                SQLValue(exposure.install), SQLValue(customer.bucket.number), SQLValue(exposure.trust),
                SQLValue(exposure.epoch), SQLValue(exposure.variant), SQLValue(exposure.exposedAt),
                SQLValue(row.namedAt),
            ])
        try transaction.run(
            SQL(
                composed: """
                    REPLACE INTO exposed_users (
                        organisation, user, app, experiment, environment, trust, bucket, of_several)
                    SELECT e.organisation, e.user, e.app, e.experiment, e.environment, e.trust, e.bucket, \(isOfSeveral)
                    FROM (
                        SELECT ?1 organisation, ?2 user, ?3 app, ?4 experiment, ?5 environment, ?6 trust, ?7 bucket) e
                    """),
            bindings: customer.bindings + [
                SQLValue(field.app), SQLValue(field.experiment), SQLValue(field.environment),
                SQLValue(exposure.trust), SQLValue(customer.bucket.number),
            ])
        guard let known, known.exposure.trust != exposure.trust else { return }
        try transaction.run(
            SQL(
                composed: """
                    DELETE FROM exposed_users AS e WHERE organisation = ? AND user = ? AND app = ? AND experiment = ?
                        AND environment = ? AND trust = ?
                        AND NOT EXISTS (SELECT 1 FROM user_exposures x WHERE \(isOfSameField))
                    """),
            bindings: customer.bindings + [
                SQLValue(field.app), SQLValue(field.experiment), SQLValue(field.environment),
                SQLValue(known.exposure.trust),
            ])
        try recount(customer, in: transaction)
    }

    /// Whether a user has seen several variants of what row `e` names: by the ends of an index, for any number of installs
    /// may go under one name.
    private static let isOfSeveral = """
        (SELECT MIN(variant) FROM user_exposures x WHERE \(isOfSameField))
            <> (SELECT MAX(variant) FROM user_exposures x WHERE \(isOfSameField))
        """
    private static let isOfSameField = """
        x.organisation = e.organisation AND x.user = e.user AND x.app = e.app AND x.experiment = e.experiment
            AND x.environment = e.environment AND x.trust = e.trust
        """

    /// Sees anew whether a user of whom something was forgotten or said by another has seen several variants.
    static func recount(_ customer: Customer, in transaction: borrowing Transaction) throws {
        try transaction.run(
            SQL(
                composed: """
                    UPDATE exposed_users AS e SET of_several = \(isOfSeveral) WHERE organisation = ? AND user = ?
                    """), bindings: customer.bindings)
    }

    /// Within what purchases of an environment can be credited.
    static func fields(
        of customer: Customer, _ environment: StoreEnvironment, in store: borrowing some Reading & ~Copyable
    ) throws -> [Exposure.Field] {
        try store.all(
            """
            SELECT DISTINCT app, experiment FROM exposed_users WHERE organisation = ? AND user = ? AND environment = ?
            """, bindings: customer.bindings + [SQLValue(environment)]
        ) {
            Exposure.Field(
                app: try $0.id(0), experiment: try $0.id(1), environment: environment)
        }
    }

    /// The last exposure of this trust up to `time`; of several of that moment the one of the first install by name.
    static func last(
        of customer: Customer, _ field: Exposure.Field, _ trust: Trust, until time: Timestamp,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Row? {
        try store.first(
            """
            SELECT install, variant, epoch, exposed_at, named_at, app, experiment, environment, trust
            FROM user_exposures
            WHERE organisation = ? AND user = ? AND environment = ? AND app = ? AND experiment = ? AND trust = ?
                AND exposed_at <= ? ORDER BY exposed_at DESC, install LIMIT 1
            """,
            bindings: customer.bindings + [
                SQLValue(field.environment), SQLValue(field.app), SQLValue(field.experiment), SQLValue(trust),
                SQLValue(time),
            ]
        ) { try row($0) }
    }

    /// From when to when purchases count for an exposure that stands at this place, as far as others of its trust tell: up to
    /// the next one. Nil at the end: for ever.
    static func reach(
        of exposure: Exposure, _ customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> (from: Timestamp, to: Timestamp?) {
        let field = exposure.field
        let next =
            try store.first(
                """
                SELECT MIN(exposed_at) FROM user_exposures
                WHERE organisation = ? AND user = ? AND environment = ? AND app = ? AND experiment = ? AND trust = ?
                    AND exposed_at > ?
                """,
                bindings: customer.bindings + [
                    SQLValue(field.environment), SQLValue(field.app), SQLValue(field.experiment),
                    SQLValue(exposure.trust), SQLValue(exposure.exposedAt),
                ]
            ) { try $0.timeOrNil(0) } ?? nil
        return (exposure.exposedAt, next)
    }

    private static func row(_ row: borrowing SQLite.Row) throws -> Row {
        let field = Exposure.Field(
            app: try row.id(5), experiment: try row.id(6), environment: try row.id(7))
        return Row(
            exposure: Exposure(
                field: field, trust: try row.id(8), install: try row.id(0), variant: try row.id(1),
                epoch: try row.int(2),
                exposedAt: try row.time(3)),
            namedAt: try row.time(4))
    }
}
