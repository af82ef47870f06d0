internal import Lane
internal import Messages
internal import SQLite

/// The first impression of each install in each experiment.
enum ExposureStore {
    /// An exposure as the install's side keeps it.
    struct Row {
        var exposure: Exposure
        /// The impression; with its time it decides which was first.
        var message: MessageID
    }

    /// The install's exposure to an experiment.
    static func row(
        of install: AppInstall, _ experiment: ExperimentID, _ environment: StoreEnvironment,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Row? {
        try store.first(
            """
            SELECT experiment, environment, trust, epoch, variant, exposed_at, message_id FROM exposures
            WHERE organisation = ? AND app = ? AND install = ? AND experiment = ? AND environment = ?
            """, bindings: install.bindings + [SQLValue(experiment), SQLValue(environment)]
        ) { try row($0, of: install) }
    }

    /// All exposures of an install in an environment.
    static func rows(
        of install: AppInstall, in environment: StoreEnvironment, _ store: borrowing some Reading & ~Copyable
    ) throws -> [Row] {
        try store.all(
            """
            SELECT experiment, environment, trust, epoch, variant, exposed_at, message_id FROM exposures
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ?
            """, bindings: install.bindings + [SQLValue(environment)]
        ) { try row($0, of: install) }
    }

    /// Puts an exposure in the place of what is there, with the conversion that outcomes tell of.
    static func save(_ row: Row, of install: AppInstall, in transaction: borrowing Transaction) throws {
        let (exposure, field) = (row.exposure, row.exposure.field)
        try transaction.run(
            """
            INSERT INTO exposures (
                organisation, app, install, experiment, environment, bucket, trust, epoch, variant, exposed_at,
                message_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET trust = excluded.trust, epoch = excluded.epoch, variant = excluded.variant,
                exposed_at = excluded.exposed_at, message_id = excluded.message_id
            """,
            bindings: install.bindings + [
                SQLValue(field.experiment), SQLValue(field.environment), SQLValue(install.bucket.number),
                SQLValue(exposure.trust), SQLValue(exposure.epoch), SQLValue(exposure.variant),
                SQLValue(exposure.exposedAt), SQLValue(row.message),
            ])
        try noteConversion(of: install, field.experiment, field.environment, in: transaction)
    }

    /// The earliest purchase that counts, is no renewal and was not paid back as a whole is the conversion.
    static func noteConversion(
        of install: AppInstall, _ experiment: ExperimentID, _ environment: StoreEnvironment,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            UPDATE exposures SET converted_at = (
                SELECT MIN(purchased_at) FROM outcomes o
                WHERE o.organisation = ?1 AND o.app = ?2 AND o.install = ?3 AND o.experiment = ?4
                    AND o.environment = ?5 AND o.counts = 1 AND o.is_first = 1 AND o.refund IS NOT 'full')
            WHERE organisation = ?1 AND app = ?2 AND install = ?3 AND experiment = ?4 AND environment = ?5
            """, bindings: install.bindings + [SQLValue(experiment), SQLValue(environment)])
    }

    private static func row(_ row: borrowing SQLite.Row, of install: AppInstall) throws -> Row {
        let field = Exposure.Field(
            app: install.app, experiment: try row.id(0), environment: try row.id(1))
        return Row(
            exposure: Exposure(
                field: field, trust: try row.id(2), install: install.id, variant: try row.id(4), epoch: try row.int(3),
                exposedAt: try row.time(5)),
            message: MessageID(rawValue: try row.text(6)))
    }
}
