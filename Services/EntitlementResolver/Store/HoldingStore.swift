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
            SELECT environment, revision, rank, transactions FROM held_subscriptions
            WHERE organisation = ? AND user = ? AND realm = ? AND original = ? ORDER BY environment
            """, SQLValue(chain.organisation), SQLValue(user), SQLValue(chain.realm), SQLValue(chain.original)
        ) { try subscriptionNews($0, from: 0) }
        return Holding(chain: chain, link: link ?? nil, subscriptions: subscriptions)
    }

    /// What a user holds, by original transaction: up to `limit` chains.
    ///
    /// - Parameter onlyWithEvidence: leaves out chains of which nothing signed is known: they unlock nothing.
    static func held(
        by customer: CustomerID, onlyWithEvidence: Bool = false, limit: Int? = nil,
        in store: borrowing some Reading & ~Copyable
    ) throws -> [Holding] {
        var holdings: [Holding] = []
        try store.forEach(
            """
            SELECT h.realm, h.original, h.link_revision, h.link_held, h.link_rank, h.link_since,
                s.environment, s.revision, s.rank, s.transactions
            FROM (
                SELECT * FROM holdings WHERE organisation = ?1 AND user = ?2 AND is_held = 1
                ORDER BY original, realm LIMIT ?3
            ) AS h LEFT JOIN held_subscriptions AS s
                ON s.organisation = ?1 AND s.user = ?2 AND s.realm = h.realm AND s.original = h.original
            WHERE NOT ?4 OR s.environment IS NOT NULL
            ORDER BY h.original, h.realm, s.environment
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(limit ?? -1),
            SQLValue(onlyWithEvidence)
        ) { row in
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
    static func save(_ holding: Holding, of customer: CustomerID, in transaction: borrowing Transaction) throws {
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
        _ news: Holding.SubscriptionNews, of chain: ChainID, by customer: CustomerID,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            REPLACE INTO held_subscriptions
                (organisation, user, realm, original, environment, bucket, revision, rank, transactions)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(chain.realm),
            SQLValue(chain.original), SQLValue(news.subscription.environment), SQLValue(customer.bucket.number),
            SQLValue(news.revision), SQLValue(news.rank),
            .blob(try MessageJSON.encode(news.subscription.transactions)))
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
            subscription: Subscription(environment: try row.id(column), transactions: try row.json(column + 3)))
    }
}
