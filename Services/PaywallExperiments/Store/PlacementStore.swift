internal import Lane
internal import Messages
internal import SQLite

/// Which paywalls the places of apps show: every version, of which the highest of a place counts.
enum PlacementStore {
    /// The placement as it is now; nil: there never was one.
    static func current(
        _ placement: PlacementID, of app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Placement? {
        try store.first(
            """
            SELECT placement, entitlement, version, changed_at FROM placements
            WHERE organisation = ? AND app = ? AND placement = ? ORDER BY version DESC LIMIT 1
            """, SQLValue(organisation), SQLValue(app), SQLValue(placement)
        ) { try Self.placement(of: app, of: organisation, $0) }
    }

    /// What counts now of every place, by name.
    static func all(
        of app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> [Placement] {
        try store.all(
            """
            SELECT placement, entitlement, version, changed_at FROM placements AS p
            WHERE organisation = ?1 AND app = ?2 AND version = (
                SELECT MAX(version) FROM placements WHERE organisation = ?1 AND app = ?2 AND placement = p.placement)
            ORDER BY placement
            """, SQLValue(organisation), SQLValue(app)
        ) { try Self.placement(of: app, of: organisation, $0) }
    }

    /// Keeps a version; one that is there stays.
    static func record(_ placement: Placement, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO placements (organisation, app, placement, version, changed_at, entitlement)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, SQLValue(placement.organisation), SQLValue(placement.app), SQLValue(placement.placement),
            SQLValue(placement.version), SQLValue(placement.changedAt), SQLValue(placement.entitlement))
    }

    private static func placement(
        of app: AppID, of organisation: OrganisationID, _ row: borrowing Row
    ) throws -> Placement {
        Placement(
            organisation: organisation, app: app, placement: try row.id(0), entitlement: try row.idOrNil(1),
            version: try row.int(2), changedAt: try row.time(3))
    }
}
