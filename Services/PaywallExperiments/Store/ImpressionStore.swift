internal import Lane
internal import Messages
internal import SQLite

/// Every impression, and counts of what was rendered.
enum ImpressionStore {
    /// Keeps an impression; one that is there already changes nothing.
    ///
    /// - Parameter shown: of the variant's offers those that were rendered, in its order.
    static func record(
        _ impression: ImpressionRecord, _ message: MessageID, at time: Timestamp, as stratum: ExperimentTally.Stratum,
        shown: [ProductID], in transaction: borrowing Transaction
    ) throws {
        let install = AppInstall(impression.organisation, impression.app, impression.install)
        let isNew =
            try transaction.run(
                """
                INSERT INTO impressions (
                    organisation, app, install, experiment, message_id, bucket, environment, trust, accepted_at,
                    storefront, rendered)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                bindings: install.bindings + [
                    SQLValue(impression.experiment), SQLValue(message), SQLValue(install.bucket.number),
                    SQLValue(stratum.environment), SQLValue(stratum.trust), SQLValue(time),
                    SQLValue(impression.storefront), .blob(try MessageJSON.encode(impression.renderedSkus)),
                ]) > 0
        guard isNew else { return }
        try transaction.run(
            """
            INSERT INTO renderings (
                organisation, app, experiment, environment, trust, epoch, variant, storefront, skus, bucket,
                impressions)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET impressions = impressions + 1
            """, SQLValue(install.organisation), SQLValue(install.app), SQLValue(impression.experiment),
            SQLValue(stratum.environment), SQLValue(stratum.trust), SQLValue(stratum.epoch),
            SQLValue(stratum.variant), SQLValue(impression.storefront ?? ""),
            .text(String(decoding: try MessageJSON.encode(shown), as: UTF8.self)), SQLValue(install.bucket.number))
    }

    /// What was rendered in an experiment, the most frequent first, up to `limit`.
    static func renderings(
        of experiment: ExperimentSubject, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [ExperimentTally.Rendering] {
        try store.all(
            """
            SELECT epoch, variant, environment, trust, storefront, skus, SUM(impressions) FROM renderings
            WHERE organisation = ? AND app = ? AND experiment = ?
            GROUP BY environment, trust, epoch, variant, storefront, skus ORDER BY 7 DESC LIMIT ?
            """, bindings: experiment.bindings + [SQLValue(limit)]
        ) { row in
            let storefront = try row.text(4)
            return ExperimentTally.Rendering(
                stratum: try row.stratum(0), storefront: storefront.isEmpty ? nil : storefront,
                skus: try MessageJSON.decode([ProductID].self, from: Array(try row.text(5).utf8)),
                impressions: try row.int(6))
        }
    }
}
