internal import JSON
internal import Lane
internal import Messages
internal import SQLite

/// The apps that are connected. A row never goes.
enum AppStore {
    /// The app, if it is connected.
    static func app(
        _ app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> RegisteredApp? {
        try store.first(
            """
            SELECT organisation, app, test_roots, link_move_policy, unverified_links_grant, version, changed_at,
                policy_decided_at, policy_decided_by, grant_decided_at, grant_decided_by
            FROM apps WHERE organisation = ? AND app = ?
            """, SQLValue(organisation), SQLValue(app), as: registeredApp)
    }

    /// Every app, by organisation and name.
    static func records(in store: borrowing some Reading & ~Copyable) throws -> [AppRecord] {
        try store.all(
            """
            SELECT organisation, app, test_roots, link_move_policy, unverified_links_grant, version, changed_at
            FROM apps ORDER BY organisation, app
            """, as: record)
    }

    /// Whether the organisation has any app; by its first one it comes into being.
    static func has(_ organisation: OrganisationID, in store: borrowing some Reading & ~Copyable) throws -> Bool {
        try store.exists("SELECT 1 FROM apps WHERE organisation = ?", SQLValue(organisation))
    }

    /// Stores the app as it is now.
    static func put(_ app: RegisteredApp, bucket: Bucket, in transaction: borrowing Transaction) throws {
        let record = app.record
        let roots = String(decoding: try JSONCoding.encode(record.testRoots), as: UTF8.self)
        try transaction.run(
            """
            INSERT INTO apps (
                organisation, app, bucket, test_roots, link_move_policy, unverified_links_grant, version, changed_at,
                policy_decided_at, policy_decided_by, grant_decided_at, grant_decided_by)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (organisation, app) DO UPDATE SET
                link_move_policy = excluded.link_move_policy,
                unverified_links_grant = excluded.unverified_links_grant,
                version = excluded.version, changed_at = excluded.changed_at,
                policy_decided_at = excluded.policy_decided_at, policy_decided_by = excluded.policy_decided_by,
                grant_decided_at = excluded.grant_decided_at, grant_decided_by = excluded.grant_decided_by
            """, SQLValue(record.organisation), SQLValue(record.app), SQLValue(bucket.number), .text(roots),
            SQLValue(record.linkMovePolicy), SQLValue(record.unverifiedLinksGrant), SQLValue(record.version),
            SQLValue(record.changedAt), SQLValue(app.policyDecision.at), SQLValue(app.policyDecision.by),
            SQLValue(app.grantDecision.at), SQLValue(app.grantDecision.by))
    }

    private static func record(_ row: borrowing Row) throws -> AppRecord {
        AppRecord(
            organisation: try row.id(0), app: try row.id(1),
            testRoots: try JSONCoding.decode([String].self, from: Array(try row.text(2).utf8)),
            linkMovePolicy: try row.id(3), unverifiedLinksGrant: try row.bool(4), version: try row.int(5),
            changedAt: try row.time(6))
    }

    private static func registeredApp(_ row: borrowing Row) throws -> RegisteredApp {
        RegisteredApp(
            record: try record(row),
            policyDecision: RegisteredApp.Decision(at: try row.time(7), by: MessageID(rawValue: try row.text(8))),
            grantDecision: RegisteredApp.Decision(at: try row.time(9), by: MessageID(rawValue: try row.text(10))))
    }
}
