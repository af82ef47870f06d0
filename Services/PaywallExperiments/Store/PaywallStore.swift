internal import Lane
internal import Messages
internal import SQLite

/// What paywalls offer: every version, of which the highest of an entitlement counts.
enum PaywallStore {
    /// The paywall as it is now; nil: there never was one.
    static func current(
        _ entitlement: EntitlementID, of app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> PaywallConfiguration? {
        try store.first(
            """
            SELECT entitlement, skus, version, changed_at FROM paywalls
            WHERE organisation = ? AND app = ? AND entitlement = ? ORDER BY version DESC LIMIT 1
            """, SQLValue(organisation), SQLValue(app), SQLValue(entitlement)
        ) { try paywall(of: app, of: organisation, $0) }
    }

    /// The version that counts; 0: none.
    static func version(
        of entitlement: EntitlementID, of app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Int {
        try store.first(
            """
            SELECT version FROM paywalls
            WHERE organisation = ? AND app = ? AND entitlement = ? ORDER BY version DESC LIMIT 1
            """, SQLValue(organisation), SQLValue(app), SQLValue(entitlement)
        ) { try $0.int(0) } ?? 0
    }

    /// What counts now of every entitlement, by entitlement.
    static func all(
        of app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> [PaywallConfiguration] {
        try store.all(
            """
            SELECT entitlement, skus, version, changed_at FROM paywalls AS p
            WHERE organisation = ?1 AND app = ?2 AND version = (
                SELECT MAX(version) FROM paywalls WHERE organisation = ?1 AND app = ?2 AND entitlement = p.entitlement)
            ORDER BY entitlement
            """, SQLValue(organisation), SQLValue(app)
        ) { try paywall(of: app, of: organisation, $0) }
    }

    /// The versions of one, the newest first: up to 300.
    static func versions(
        of entitlement: EntitlementID, of app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [PaywallConfiguration] {
        try store.all(
            """
            SELECT entitlement, skus, version, changed_at FROM paywalls
            WHERE organisation = ? AND app = ? AND entitlement = ? ORDER BY version DESC LIMIT 300
            """, SQLValue(organisation), SQLValue(app), SQLValue(entitlement)
        ) { try paywall(of: app, of: organisation, $0) }
    }

    /// Keeps a version; one that is there stays.
    static func record(_ paywall: PaywallConfiguration, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO paywalls (organisation, app, entitlement, version, changed_at, skus) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, SQLValue(paywall.organisation), SQLValue(paywall.app), SQLValue(paywall.entitlement),
            SQLValue(paywall.version), SQLValue(paywall.changedAt), .blob(try MessageJSON.encode(paywall.skus)))
    }

    private static func paywall(
        of app: AppID, of organisation: OrganisationID, _ row: borrowing Row
    ) throws -> PaywallConfiguration {
        PaywallConfiguration(
            organisation: organisation, app: app, entitlement: try row.id(0), skus: try row.json(1),
            version: try row.int(2), changedAt: try row.time(3))
    }
}
