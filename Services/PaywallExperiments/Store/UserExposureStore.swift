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

    /// Puts an exposure in the place of what is there.
    static func save(_ row: Row, of customer: Customer, in transaction: borrowing Transaction) throws {
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
            """
            REPLACE INTO exposed_users (organisation, user, app, experiment, environment, bucket, variants)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, COUNT(DISTINCT variant) FROM user_exposures
            WHERE organisation = ?1 AND user = ?2 AND app = ?3 AND experiment = ?4 AND environment = ?5
            """,
            bindings: customer.bindings + [
                SQLValue(field.app), SQLValue(field.experiment), SQLValue(field.environment),
                SQLValue(customer.bucket.number),
            ])
    }

    /// Within what purchases of an environment can be credited.
    static func fields(
        of customer: Customer, _ environment: StoreEnvironment, in store: borrowing some Reading & ~Copyable
    ) throws -> [Exposure.Field] {
        try store.all(
            """
            SELECT DISTINCT app, experiment FROM user_exposures
            WHERE organisation = ? AND user = ? AND environment = ?
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
