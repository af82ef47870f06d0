internal import Lane
internal import Messages
internal import SQLite

extension RenewalStore {
    /// All that stores have signed about what will become of a chain, oldest first; of more than `limit` the newest.
    static func history(
        of chain: ChainID, knownAt time: Timestamp?, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [TimelineEntry] {
        var deciding: [StoreEnvironment: Set<StoreRenewal>] = [:]
        let rows = try store.all(
            """
            SELECT environment, app, digest, known_at, retracted_at, renewal FROM renewals
            WHERE organisation = ? AND realm = ? AND original = ? ORDER BY known_at DESC, digest, app LIMIT ?
            """, bindings: chain.bindings + [SQLValue(limit)]
        ) { row in
            (
                environment: try row.id(0) as StoreEnvironment, app: try row.id(1) as AppID,
                digest: try row.id(2) as ArtifactDigest, knownAt: try row.time(3), retractedAt: try row.timeOrNil(4),
                renewal: try row.isNull(5) ? nil : try row.json(5, as: StoreRenewal.self)
            )
        }
        for environment in Set(rows.map(\.environment)) {
            deciding[environment] = Set(try Self.deciding(of: chain, environment, in: store))
        }
        return rows.reversed().flatMap { row in
            func entry(_ what: TimelineEntry.What, at moment: Timestamp, knownAt: Timestamp) -> TimelineEntry {
                var entry = TimelineEntry(what, at: moment, knownAt: knownAt)
                (entry.realm, entry.chain, entry.environment) = (chain.realm, chain.original, row.environment)
                (entry.app, entry.digest, entry.product) = (row.app, row.digest, row.renewal?.product)
                entry.signedAt = row.renewal?.signedAt
                entry.expiresAt = row.renewal?.graceExpiresAt ?? row.renewal?.renewsAt
                return entry
            }
            var entries: [TimelineEntry] = []
            let retractedAt = row.retractedAt.flatMap { $0 <= time ?? .distantFuture ? $0 : nil }
            if let renewal = row.renewal {
                var told = entry(.renewalTold, at: renewal.signedAt, knownAt: row.knownAt)
                if retractedAt != nil {
                    told.reason = .retracted
                } else if row.retractedAt == nil, deciding[row.environment]?.contains(renewal) != true {
                    told.reason = .superseded
                }
                entries.append(told)
            }
            if let retractedAt { entries.append(entry(.renewalWithdrawn, at: retractedAt, knownAt: retractedAt)) }
            return entries
        }
    }
}
