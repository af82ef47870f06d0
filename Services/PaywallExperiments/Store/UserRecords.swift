internal import JSON
internal import Lane
internal import Messages
internal import SQLite

/// What is kept of a user, table by table, as an export shows it. Of how many variants he has seen any is left out: his
/// exposures say it.
enum UserRecords {
    /// A table: what tells its rows of one user apart, when each happened, and what it says.
    private struct Section {
        var table: String
        var key: [String]
        var at: String
        var content: String
    }

    /// In the order in which they are shown. A cursor may name one by its number: new ones are added at the end.
    private static let sections = [
        Section(
            table: "install_users", key: ["app", "install", "environment"], at: "named_at",
            content: "json_object('app', app, 'install', install, 'environment', environment)"),
        Section(
            table: "user_exposures", key: ["app", "experiment", "environment", "install"], at: "exposed_at",
            content: """
                json_object('app', app, 'install', install, 'experiment', experiment, 'environment', environment,
                    'variant', variant, 'epoch', epoch, 'trust', trust)
                """),
        Section(
            table: "purchases", key: ["realm", "environment", "transaction_id"], at: "chain_began_at",
            content: "json(CAST(told AS TEXT))"),
        Section(
            table: "purchase_spans", key: ["realm", "environment", "transaction_id", "linked_at"], at: "linked_at",
            content: """
                json_object('realm', realm, 'environment', environment, 'transaction', transaction_id, 'lostAt',
                    strftime('%Y-%m-%dT%H:%M:%fZ', lost_at / 1000.0, 'unixepoch'))
                """),
        Section(
            // Of one that was taken back there is no other time than when it was told: revisions begin with that.
            table: "refunds", key: ["realm", "environment", "transaction_id"],
            at: """
                IFNULL(CAST(ROUND((julianday(CAST(told AS TEXT) ->> '$.refundedAt') - 2440587.5) * 86400000) AS INTEGER),
                    revision)
                """,
            content: "json(CAST(told AS TEXT))"),
        Section(
            table: "credits", key: ["realm", "environment", "transaction_id", "app", "experiment", "install"],
            at: "named_at",
            content: """
                json_object('realm', realm, 'environment', environment, 'transaction', transaction_id, 'app', app,
                    'experiment', experiment, 'install', install, 'purchase', json(CAST(purchase AS TEXT)))
                """),
        Section(
            table: "outcomes", key: ["app", "experiment", "environment", "install", "realm", "transaction_id"],
            at: "IFNULL(purchased_at, named_at)",
            content: """
                json_object('app', app, 'experiment', experiment, 'environment', environment, 'install', install,
                    'realm', realm, 'transaction', transaction_id, 'counts', counts, 'currency', currency, 'paid', paid,
                    'refunded', refunded)
                """),
    ]

    /// Up to `limit` records behind a place.
    ///
    /// - Returns: none and no place for a place that is none.
    static func page(
        of customer: Customer, after place: String?, limit: Int, in snapshot: borrowing Snapshot
    ) throws -> UserRecordsPage {
        let nothing = UserRecordsPage(records: [])
        let parts = place?.split(separator: " ", maxSplits: 1).map(String.init) ?? ["0"]
        guard let number = parts.first.flatMap({ Int($0) }), sections.indices.contains(number) else { return nothing }
        let section = sections[number]
        let after = parts.count > 1 ? parts[1] : nil
        if let after, (try? MessageJSON.decode([JSONValue].self, from: Array(after.utf8))) == nil { return nothing }
        let key = section.key.joined(separator: ", ")
        let start = section.key.indices.map { "json_extract(?3, '$[\($0)]')" }.joined(separator: ", ")
        var last: String?
        let records = try snapshot.all(
            SQL(
                composed: """
                    SELECT \(section.at), \(section.content), json_array(\(key)) FROM \(section.table)
                    WHERE organisation = ?1 AND user = ?2 AND (?3 IS NULL OR (\(key)) > (\(start)))
                    ORDER BY \(key) LIMIT ?4
                    """), bindings: customer.bindings + [SQLValue(after), SQLValue(limit)]
        ) { row in
            last = try row.text(2)
            return UserRecordsPage.Record(
                sort: section.table, at: try row.time(0),
                content: try MessageJSON.decode(JSONValue.self, from: Array(try row.text(1).utf8)))
        }
        if records.count == limit, let last { return UserRecordsPage(records: records, next: "\(number) \(last)") }
        let next = sections.indices.contains(number + 1) ? "\(number + 1)" : nil
        return UserRecordsPage(records: records, next: next)
    }
}
