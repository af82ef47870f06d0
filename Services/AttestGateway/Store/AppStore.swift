internal import JSON
internal import Lane
internal import Messages
internal import SQLite

/// The apps that are connected. A row never goes.
enum AppStore {
    /// As ``record(_:)`` reads them.
    private static let recordColumns = """
        organisation, app, test_roots, link_move_policy, unverified_links_grant, version, changed_at, purchase_keys,
        team_id, apple_id, notification_tokens, attest_environments, limits
        """
    /// As ``decisions(_:)`` reads them, behind those of the record.
    private static let decisionColumns = """
        policy_decided_at, policy_decided_by, grant_decided_at, grant_decided_by,
        purchase_keys_decided_at, purchase_keys_decided_by, team_id_decided_at, team_id_decided_by,
        apple_id_decided_at, apple_id_decided_by, notification_tokens_decided_at, notification_tokens_decided_by,
        attest_environments_decided_at, attest_environments_decided_by, limit_decisions
        """

    // Whole rows: nothing refers to them.
    private static let replace = """
        INSERT OR REPLACE INTO apps (bucket, \(recordColumns), \(decisionColumns))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// The app, if it is connected.
    static func app(
        _ app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> RegisteredApp? {
        try store.first(
            SQL(composed: "SELECT \(recordColumns), \(decisionColumns) FROM apps WHERE organisation = ? AND app = ?"),
            SQLValue(organisation), SQLValue(app)
        ) { row in
            RegisteredApp(record: try record(row), decisions: try decisions(row))
        }
    }

    /// Every app, by organisation and name.
    static func records(in store: borrowing some Reading & ~Copyable) throws -> [AppRecord] {
        try store.all(SQL(composed: "SELECT \(recordColumns) FROM apps ORDER BY organisation, app"), as: record)
    }

    /// Whether the organisation has any app; by its first one it comes into being.
    static func has(_ organisation: OrganisationID, in store: borrowing some Reading & ~Copyable) throws -> Bool {
        try store.exists("SELECT 1 FROM apps WHERE organisation = ?", SQLValue(organisation))
    }

    /// Stores the app as it is now.
    static func put(_ app: RegisteredApp, bucket: Bucket, in transaction: borrowing Transaction) throws {
        let record = app.record
        let decisions = app.decisions
        try transaction.run(
            SQL(composed: replace),
            SQLValue(bucket.number), SQLValue(record.organisation), SQLValue(record.app),
            SQLValue(try json(record.testRoots)), SQLValue(record.linkMovePolicy),
            SQLValue(record.unverifiedLinksGrant), SQLValue(record.version), SQLValue(record.changedAt),
            SQLValue(try record.purchaseKeys.map(json)), SQLValue(record.teamID), SQLValue(record.appleID),
            SQLValue(try record.notificationTokens.map(json)), SQLValue(try record.attestEnvironments.map(json)),
            SQLValue(try record.limits.map(json)), SQLValue(decisions.policy.at),
            SQLValue(decisions.policy.by), SQLValue(decisions.grant.at), SQLValue(decisions.grant.by),
            SQLValue(decisions.purchaseKeys.at), SQLValue(decisions.purchaseKeys.by), SQLValue(decisions.team.at),
            SQLValue(decisions.team.by), SQLValue(decisions.appleID.at), SQLValue(decisions.appleID.by),
            SQLValue(decisions.notificationToken.at), SQLValue(decisions.notificationToken.by),
            SQLValue(decisions.environments.at), SQLValue(decisions.environments.by),
            SQLValue(try json(decisions.limits)))
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONCoding.encode(value), as: UTF8.self)
    }

    private static func record(_ row: borrowing Row) throws -> AppRecord {
        AppRecord(
            organisation: try row.id(0), app: try row.id(1),
            testRoots: try JSONCoding.decode([String].self, from: Array(try row.text(2).utf8)),
            linkMovePolicy: try row.id(3), unverifiedLinksGrant: try row.bool(4),
            purchaseKeys: try row.textOrNil(7).map { try JSONCoding.decode([String].self, from: Array($0.utf8)) },
            teamID: try row.idOrNil(8), appleID: try row.int64OrNil(9),
            notificationTokens: try row.textOrNil(10).map {
                try JSONCoding.decode([NotificationToken].self, from: Array($0.utf8))
            },
            attestEnvironments: try row.textOrNil(11).map {
                try JSONCoding.decode([AttestEnvironment].self, from: Array($0.utf8))
            },
            limits: try row.textOrNil(12).map { try JSONCoding.decode(AppLimits.self, from: Array($0.utf8)) },
            version: try row.int(5), changedAt: try row.time(6))
    }

    private static func decisions(_ row: borrowing Row) throws -> RegisteredApp.Decisions {
        RegisteredApp.Decisions(
            policy: try decision(row, 13), grant: try decision(row, 15), purchaseKeys: try decision(row, 17),
            team: try decision(row, 19), appleID: try decision(row, 21), notificationToken: try decision(row, 23),
            environments: try decision(row, 25),
            limits: try row.textOrNil(27).map {
                try JSONCoding.decode(RegisteredApp.Decisions.Limits.self, from: Array($0.utf8))
            } ?? .init())
    }

    /// Nobody's, of an app that is older than the setting.
    private static func decision(_ row: borrowing Row, _ column: Int) throws -> RegisteredApp.Decision {
        guard let time = try row.timeOrNil(column), let message: MessageID = try row.idOrNil(column + 1) else {
            return .none
        }
        return RegisteredApp.Decision(at: time, by: message)
    }
}
