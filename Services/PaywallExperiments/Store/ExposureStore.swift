internal import Lane
internal import Messages
internal import SQLite

/// By which impression each install was exposed to each experiment.
enum ExposureStore {
    /// The install's exposure in a field.
    static func exposure(
        of install: AppInstall, _ field: Exposure.Field, in store: borrowing some Reading & ~Copyable
    ) throws -> Exposure? {
        try store.first(
            """
            SELECT experiment, environment, trust, epoch, variant, exposed_at, seen_at FROM exposures
            WHERE organisation = ? AND app = ? AND install = ? AND experiment = ? AND environment = ?
            """, bindings: install.bindings + [SQLValue(field.experiment), SQLValue(field.environment)]
        ) { try exposure($0, of: install) }
    }

    /// All exposures of an install in an environment.
    static func all(
        of install: AppInstall, in environment: StoreEnvironment, _ store: borrowing some Reading & ~Copyable
    ) throws -> [Exposure] {
        try store.all(
            """
            SELECT experiment, environment, trust, epoch, variant, exposed_at, seen_at FROM exposures
            WHERE organisation = ? AND app = ? AND install = ? AND environment = ?
            """, bindings: install.bindings + [SQLValue(environment)]
        ) { try exposure($0, of: install) }
    }

    /// Puts an exposure in the place of what is there, with the conversion that outcomes tell of.
    static func save(_ exposure: Exposure, of install: AppInstall, in transaction: borrowing Transaction) throws {
        let field = exposure.field
        try transaction.run(
            """
            INSERT INTO exposures (
                organisation, app, install, experiment, environment, bucket, trust, epoch, variant, exposed_at,
                seen_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET trust = excluded.trust, epoch = excluded.epoch, variant = excluded.variant,
                exposed_at = excluded.exposed_at, seen_at = excluded.seen_at
            """,
            bindings: install.bindings + [
                SQLValue(field.experiment), SQLValue(field.environment), SQLValue(install.bucket.number),
                SQLValue(exposure.trust), SQLValue(exposure.epoch), SQLValue(exposure.variant),
                SQLValue(exposure.exposedAt), SQLValue(exposure.seenAt),
            ])
        try noteConversion(of: install, field.experiment, field.environment, in: transaction)
    }

    /// Whether outcome `o` counts for exposure `e`: what a genuine app has seen is credited only by the word of one.
    static let isOfItsTrust = "(e.trust <> 'attested' OR o.trust = 'attested')"

    /// The earliest purchase that counts, is no renewal and was not paid back as a whole is the conversion.
    static func noteConversion(
        of install: AppInstall, _ experiment: ExperimentID, _ environment: StoreEnvironment,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(conversion, bindings: install.bindings + [SQLValue(experiment), SQLValue(environment)])
    }

    private static let conversion = SQL(
        composed: """
            UPDATE exposures AS e SET converted_at = (
                SELECT MIN(purchased_at) FROM outcomes o
                WHERE o.organisation = ?1 AND o.app = ?2 AND o.install = ?3 AND o.experiment = ?4
                    AND o.environment = ?5 AND o.counts = 1 AND o.is_first = 1 AND o.refund IS NOT 'full'
                    AND \(isOfItsTrust))
            WHERE organisation = ?1 AND app = ?2 AND install = ?3 AND experiment = ?4 AND environment = ?5
            """)

    private static func exposure(_ row: borrowing Row, of install: AppInstall) throws -> Exposure {
        Exposure(
            field: .init(app: install.app, experiment: try row.id(0), environment: try row.id(1)), trust: try row.id(2),
            install: install.id, variant: try row.id(4), epoch: try row.int(3), exposedAt: try row.time(5),
            seenAt: try row.time(6))
    }
}
