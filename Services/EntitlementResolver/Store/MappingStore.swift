internal import Lane
internal import Messages
internal import SQLite

/// What products unlock in each app: every version, of which the highest of a product counts.
enum MappingStore {
    /// The mapping of one product as it is now.
    static func current(
        _ product: ProductID, of app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> ProductMapping? {
        try store.first(
            """
            SELECT product, entitlements, version, changed_at FROM mappings
            WHERE organisation = ? AND app = ? AND product = ? ORDER BY version DESC LIMIT 1
            """, SQLValue(organisation), SQLValue(app), SQLValue(product)
        ) { try mapping(of: app, of: organisation, $0) }
    }

    /// The mappings of an app's products that unlock something, by product; up to 10,000.
    static func all(
        of app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> [ProductMapping] {
        try store.all(
            """
            SELECT product, entitlements, version, changed_at FROM mappings AS m
            WHERE organisation = ?1 AND app = ?2 AND version = (
                SELECT MAX(version) FROM mappings WHERE organisation = ?1 AND app = ?2 AND product = m.product)
            ORDER BY product LIMIT 10000
            """, SQLValue(organisation), SQLValue(app)
        ) { try mapping(of: app, of: organisation, $0) }.filter { !$0.entitlements.isEmpty }
    }

    private static func mapping(
        of app: AppID, of organisation: OrganisationID, _ row: borrowing Row
    ) throws -> ProductMapping {
        ProductMapping(
            organisation: organisation, app: app, product: try row.id(0), entitlements: try row.json(1),
            version: try row.int(2), changedAt: try row.time(3))
    }

    /// What `products` unlock now, by app.
    static func unlocked(
        by products: Set<ProductID>, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> [AppID: [ProductID: [EntitlementID]]] {
        var unlocked: [AppID: [ProductID: [EntitlementID]]] = [:]
        for product in products {
            // By rising version: the last one stays.
            try store.forEach(
                """
                SELECT app, entitlements FROM mappings WHERE organisation = ? AND product = ? ORDER BY app, version
                """, SQLValue(organisation), SQLValue(product)
            ) { row in
                unlocked[try row.id(0), default: [:]][product] = try row.json(1)
            }
        }
        return unlocked
    }

    /// What `products` unlock now in one app.
    static func unlocked(
        by products: Set<ProductID>, in app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [ProductID: [EntitlementID]] {
        var unlocked: [ProductID: [EntitlementID]] = [:]
        for product in products {
            unlocked[product] = try store.first(
                """
                SELECT entitlements FROM mappings WHERE organisation = ? AND app = ? AND product = ?
                ORDER BY version DESC LIMIT 1
                """, SQLValue(organisation), SQLValue(app), SQLValue(product)
            ) { try $0.json(0) }
        }
        return unlocked
    }

    /// Every version of what `products` unlock in an app that was known at `time`, and since when: of each up to 1,000.
    static func versions(
        of products: Set<ProductID>, of app: AppID, of organisation: OrganisationID, knownAt time: Timestamp,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [ConfigurationHistory.Known<ProductMapping>] {
        try products.flatMap { product in
            try store.all(
                """
                SELECT product, entitlements, version, changed_at, IFNULL(known_at, changed_at) FROM mappings
                WHERE organisation = ? AND app = ? AND product = ? AND IFNULL(known_at, changed_at) <= ?
                ORDER BY version DESC LIMIT 1000
                """, SQLValue(organisation), SQLValue(app), SQLValue(product), SQLValue(time)
            ) { (try mapping(of: app, of: organisation, $0), try $0.time(4)) }
        }
    }

    /// Whether any of an app's products ever unlocked an entitlement, as far as was known at `time`.
    static func everUnlocked(
        _ entitlement: EntitlementID, in app: AppID, of organisation: OrganisationID, knownAt time: Timestamp,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.exists(
            """
            SELECT 1 FROM mappings, json_each(CAST(entitlements AS TEXT)) AS unlocked
            WHERE organisation = ? AND app = ? AND unlocked.value = ? AND IFNULL(known_at, changed_at) <= ? LIMIT 1
            """, SQLValue(organisation), SQLValue(app), SQLValue(entitlement), SQLValue(time))
    }

    /// The highest version of any of an app's mappings; 0 when it has none.
    static func version(
        of app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> Int {
        try store.first(
            "SELECT MAX(version) FROM mappings WHERE organisation = ? AND app = ?", SQLValue(organisation),
            SQLValue(app)
        ) { try $0.intOrNil(0) ?? 0 } ?? 0
    }

    /// Keeps a version of a mapping.
    ///
    /// - Returns: whether it is new and now the one that counts.
    static func record(
        _ mapping: ProductMapping, knownAt: Timestamp, in transaction: borrowing Transaction
    ) throws -> Bool {
        let newest = try current(mapping.product, of: mapping.app, of: mapping.organisation, in: transaction)
        let inserted = try transaction.run(
            """
            INSERT INTO mappings (organisation, app, product, version, changed_at, entitlements, known_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, SQLValue(mapping.organisation), SQLValue(mapping.app), SQLValue(mapping.product),
            SQLValue(mapping.version), SQLValue(mapping.changedAt),
            .blob(try MessageJSON.encode(mapping.entitlements)), SQLValue(knownAt))
        return inserted == 1 && mapping.version > newest?.version ?? 0
    }

    /// Notes a command about a product in the partition of its app.
    ///
    /// - Returns: whether it is the newest about this product; an older one is overtaken.
    static func note(
        _ command: MappingSet, version: FactVersion, bucket: Bucket, in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.run(
            """
            INSERT INTO mapping_commands (organisation, app, product, bucket, accepted_at, message_id)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET accepted_at = excluded.accepted_at, message_id = excluded.message_id
            WHERE (excluded.accepted_at, excluded.message_id) > (accepted_at, message_id)
            """, SQLValue(command.organisation), SQLValue(command.app), SQLValue(command.product),
            SQLValue(bucket.number), SQLValue(version.acceptedAt), SQLValue(version.message)) == 1
    }
}
