internal import Lane
internal import Messages
internal import SQLite

/// What users' partitions know of who holds which chain.
enum HoldingStore {
    /// The holding of one chain, with everything known of it; empty when nothing is.
    static func holding(
        of chain: ChainID, by user: AppUserID, in store: borrowing some Reading & ~Copyable
    ) throws -> Holding {
        let link = try store.first(
            """
            SELECT link_revision, link_held, link_rank, link_since FROM holdings
            WHERE organisation = ? AND user = ? AND realm = ? AND original = ?
            """, SQLValue(chain.organisation), SQLValue(user), SQLValue(chain.realm), SQLValue(chain.original)
        ) { try linkNews($0, from: 0) }
        let subscriptions = try store.all(
            """
            SELECT environment, revision, rank, transactions, renewals FROM held_subscriptions
            WHERE organisation = ? AND user = ? AND realm = ? AND original = ? ORDER BY environment
            """, SQLValue(chain.organisation), SQLValue(user), SQLValue(chain.realm), SQLValue(chain.original)
        ) { try subscriptionNews($0, from: 0) }
        return Holding(chain: chain, link: link ?? nil, subscriptions: subscriptions)
    }

    /// What a user holds and something signed is known of: all that can unlock anything.
    static func unlocking(
        for customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> [Holding] {
        // From the subscriptions, not from the holdings: anybody can claim numbers of which nothing is known.
        try holdings(
            of: customer,
            """
            SELECT s.realm, s.original, h.link_revision, h.link_held, h.link_rank, h.link_since,
                s.environment, s.revision, s.rank, s.transactions, s.renewals
            FROM held_subscriptions AS s CROSS JOIN holdings AS h
                ON h.organisation = ?1 AND h.user = ?2 AND h.realm = s.realm AND h.original = s.original
            WHERE s.organisation = ?1 AND s.user = ?2 AND h.is_held = 1
            ORDER BY s.realm, s.original, s.environment
            """, [SQLValue(customer.organisation), SQLValue(customer.user)], in: store)
    }

    /// What a user holds in a realm, by original transaction: up to `limit` chains.
    static func held(
        by customer: Customer, realm: Realm, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [Holding] {
        try holdings(
            of: customer,
            """
            SELECT h.realm, h.original, h.link_revision, h.link_held, h.link_rank, h.link_since,
                s.environment, s.revision, s.rank, s.transactions, s.renewals
            FROM (
                SELECT * FROM holdings WHERE organisation = ?1 AND user = ?2 AND realm = ?3 AND is_held = 1
                ORDER BY original LIMIT ?4
            ) AS h LEFT JOIN held_subscriptions AS s
                ON s.organisation = ?1 AND s.user = ?2 AND s.realm = ?3 AND s.original = h.original
            ORDER BY h.original, s.environment
            """, [SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(realm), SQLValue(limit)],
            in: store)
    }

    /// Rows of one holding follow each other, one for each environment or one without.
    private static func holdings(
        of customer: Customer, _ sql: SQL, _ bindings: [SQLValue], in store: borrowing some Reading & ~Copyable
    ) throws -> [Holding] {
        var holdings: [Holding] = []
        try store.forEach(sql, bindings: bindings) { row in
            let chain = ChainID(customer.organisation, try row.id(0), try row.id(1))
            if holdings.last?.chain != chain {
                holdings.append(Holding(chain: chain, link: try linkNews(row, from: 2)))
            }
            if try !row.isNull(6) {
                holdings[holdings.count - 1].subscriptions.append(try subscriptionNews(row, from: 6))
            }
        }
        return holdings
    }

    /// Keeps the link's news, and whether the chain is held by it all.
    static func save(_ holding: Holding, of customer: Customer, in transaction: borrowing Transaction) throws {
        let (chain, link) = (holding.chain, holding.link)
        try transaction.run(
            """
            INSERT INTO holdings (
                organisation, user, realm, original, bucket, is_held, link_revision, link_held, link_rank, link_since)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET is_held = excluded.is_held, link_revision = excluded.link_revision,
                link_held = excluded.link_held, link_rank = excluded.link_rank, link_since = excluded.link_since
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(chain.realm),
            SQLValue(chain.original), SQLValue(customer.bucket.number), SQLValue(holding.isHeld),
            SQLValue(link?.revision), SQLValue(link?.isHeld), SQLValue(link?.rank), SQLValue(link?.since))
    }

    /// Keeps a subscription's news, and that the user has held its products.
    static func save(
        _ news: Holding.SubscriptionNews, of chain: ChainID, by customer: Customer,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            REPLACE INTO held_subscriptions
                (organisation, user, realm, original, environment, bucket, revision, rank, transactions, renewals)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(chain.realm),
            SQLValue(chain.original), SQLValue(news.subscription.environment), SQLValue(customer.bucket.number),
            SQLValue(news.revision), SQLValue(news.rank),
            .blob(try MessageJSON.encode(news.subscription.transactions)),
            news.subscription.renewals.isEmpty ? .null : .blob(try MessageJSON.encode(news.subscription.renewals)))
        for product in Set(news.subscription.transactions.map(\.product)) {
            try transaction.run(
                """
                INSERT INTO held_products (organisation, product, user, bucket) VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """, SQLValue(customer.organisation), SQLValue(product), SQLValue(customer.user),
                SQLValue(customer.bucket.number))
        }
    }

    /// All holdings of the partition in the order of the store, from behind `position`.
    static func page(
        after position: Int64, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [(position: Int64, chain: ChainID, user: AppUserID)] {
        try store.all(
            """
            SELECT rowid, organisation, realm, original, user FROM holdings WHERE rowid > ? AND is_held = 1
            ORDER BY rowid LIMIT ?
            """, SQLValue(position), SQLValue(limit)
        ) { row in
            (try row.int64(0), ChainID(try row.id(1), try row.id(2), try row.id(3)), try row.id(4))
        }
    }

    private static func linkNews(_ row: borrowing Row, from column: Int) throws -> Holding.LinkNews? {
        guard let revision = try row.intOrNil(column) else { return nil }
        return Holding.LinkNews(
            revision: revision, isHeld: try row.bool(column + 1), rank: try row.rank(column + 2),
            since: try row.time(column + 3))
    }

    private static func subscriptionNews(
        _ row: borrowing Row, from column: Int
    ) throws -> Holding.SubscriptionNews {
        Holding.SubscriptionNews(
            revision: try row.int(column + 1), rank: try row.rank(column + 2),
            subscription: Subscription(
                environment: try row.id(column), transactions: try row.json(column + 3),
                renewals: try row.isNull(column + 4) ? [] : try row.json(column + 4)))
    }
}
