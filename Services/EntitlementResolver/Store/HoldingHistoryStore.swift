internal import Lane
internal import Messages
internal import SQLite

/// What a user's partition knew of his chains, from when until when.
///
/// A version of a thing is written once, when it comes, so that a chain's history costs as much as its news, and not that
/// times its length.
enum HoldingHistoryStore {
    private enum Sort: String {
        case link, subscription, transaction, renewals
    }

    /// Of what a version is.
    private struct Subject {
        var customer: Customer
        var chain: ChainID
        var sort: Sort
        var environment = StoreEnvironment(rawValue: "")
        var id = TransactionID(rawValue: "")

        var bindings: [SQLValue] {
            [
                SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(sort.rawValue),
                SQLValue(chain.realm),
                SQLValue(chain.original), SQLValue(environment), SQLValue(id),
            ]
        }
    }

    /// As it is kept of a link; times are milliseconds since 1970.
    struct ToldLink: Codable {
        var isHeld: Bool
        var rank: ClaimRank
        var since: Int64
        var reason: TimelineEntry.Reason?
        /// Newer news had come before it.
        var isOvertaken: Bool?
    }

    private struct ToldSubscription: Codable {
        var rank: ClaimRank
    }

    // MARK: What comes

    /// Notes news of a link.
    ///
    /// - Parameter isOvertaken: newer news had come before it; it was never believed.
    static func note(
        _ link: Holding.LinkNews, reason: TimelineEntry.Reason?, isOvertaken: Bool, of chain: ChainID,
        by customer: Customer, at now: Timestamp, in transaction: borrowing Transaction
    ) throws {
        let told = ToldLink(
            isHeld: link.isHeld, rank: link.rank, since: link.since.millisecondsSince1970, reason: reason,
            isOvertaken: isOvertaken ? true : nil)
        let subject = Subject(customer: customer, chain: chain, sort: .link)
        try write(
            try MessageJSON.encode(told), revision: link.revision, of: subject, at: now, isOvertaken: isOvertaken,
            in: transaction)
    }

    /// Notes what a chain amounts to now, as far as that is another thing than `before`.
    static func note(
        _ news: Holding.SubscriptionNews, after before: Holding.SubscriptionNews?, of chain: ChainID,
        by customer: Customer, at now: Timestamp, in transaction: borrowing Transaction
    ) throws {
        let environment = news.subscription.environment
        func write(_ told: [UInt8]?, _ sort: Sort, _ id: TransactionID) throws {
            let subject = Subject(customer: customer, chain: chain, sort: sort, environment: environment, id: id)
            try Self.write(told, revision: news.revision, of: subject, at: now, isOvertaken: false, in: transaction)
        }
        try write(
            try MessageJSON.encode(ToldSubscription(rank: news.rank)), .subscription, TransactionID(rawValue: ""))
        var gone = Dictionary(
            (before?.subscription.transactions ?? []).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for told in news.subscription.transactions where gone.removeValue(forKey: told.id) != told {
            try write(try MessageJSON.encode(told), .transaction, told.id)
        }
        for id in gone.keys { try write(nil, .transaction, id) }
        let renewals = news.subscription.renewals
        if renewals != before?.subscription.renewals ?? [] {
            try write(try MessageJSON.encode(renewals), .renewals, TransactionID(rawValue: ""))
        }
    }

    private static func write(
        _ told: [UInt8]?, revision: Int, of subject: Subject, at now: Timestamp, isOvertaken: Bool,
        in transaction: borrowing Transaction
    ) throws {
        // A clock that was set back makes nothing end before it began.
        let before =
            isOvertaken
            ? nil
            : try transaction.first(
                """
                UPDATE holding_history SET known_until = MAX(known_from, ?8)
                WHERE organisation = ?1 AND user = ?2 AND sort = ?3 AND realm = ?4 AND original = ?5
                    AND environment = ?6 AND id = ?7 AND known_until IS NULL RETURNING known_until
                """, bindings: subject.bindings + [SQLValue(now)]
            ) { try $0.time(0) }
        try transaction.run(
            """
            INSERT INTO holding_history (
                organisation, user, sort, realm, original, environment, id, revision, bucket, known_from, known_until,
                told)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO NOTHING
            """,
            bindings: subject.bindings + [
                SQLValue(revision), SQLValue(subject.customer.bucket.number),
                SQLValue(before ?? now),
                SQLValue(isOvertaken ? now : nil), told.map(SQLValue.blob) ?? .null,
            ])
    }

    // MARK: What was known

    /// What was known of a user by a time.
    struct Past {
        /// What came last, in no order.
        var news: [News] = []
        /// What was known when it began to come; nothing where it is all that ever came.
        var before: [Holding] = []
        /// What was known in the end.
        var after: [Holding] = []
        /// When what came before it had come; nil: nothing had.
        var cut: Timestamp?
    }

    /// What was known by `time`, with the last `limit` pieces that came; of what came together all or none.
    ///
    /// Every version is read once, and what had been replaced when the first of those pieces came is not.
    static func past(
        of customer: Customer, by time: Timestamp, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> Past {
        let subject = [SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(time)]
        var past = Past()
        past.cut = try store.first(
            """
            SELECT known_from FROM holding_history WHERE organisation = ? AND user = ? AND known_from <= ?
            ORDER BY known_from DESC LIMIT 1 OFFSET ?
            """, bindings: subject + [SQLValue(limit)]
        ) { try $0.time(0) }
        var (before, after) = (GatheredHoldings(), GatheredHoldings())
        try store.forEach(
            """
            SELECT sort, realm, original, environment, id, revision, known_from, told, known_until FROM holding_history
            WHERE organisation = ?1 AND user = ?2 AND known_from <= ?3 AND IFNULL(known_until > ?4, 1)
            """, bindings: subject + [past.cut.map(SQLValue.init) ?? .null]
        ) { row in
            let news = try news(of: customer, row)
            let until = try row.timeOrNil(8)
            if let cut = past.cut, news.knownAt <= cut { before.add(news) } else { past.news.append(news) }
            if until.map({ $0 > time }) ?? true { after.add(news) }
        }
        (past.before, past.after) = (before.holdings, after.holdings)
        return past
    }

    /// When the first piece came; nil: none ever.
    static func beginning(
        of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> Timestamp? {
        try store.first(
            "SELECT MIN(known_from) FROM holding_history WHERE organisation = ? AND user = ?",
            SQLValue(customer.organisation), SQLValue(customer.user)
        ) { try $0.timeOrNil(0) } ?? nil
    }

    private static func news(of customer: Customer, _ row: borrowing Row) throws -> News {
        let chain = ChainID(customer.organisation, try row.id(1), try row.id(2))
        let environment: StoreEnvironment = try row.id(3)
        let revision = try row.int(5)
        let knownAt = try row.time(6)
        switch Sort(rawValue: try row.text(0)) {
        case .link:
            let told: ToldLink = try row.json(7)
            let link = Holding.LinkNews(
                revision: revision, isHeld: told.isHeld, rank: told.rank, since: Timestamp(clamping: told.since))
            return News(
                .link(link, reason: told.reason, isOvertaken: told.isOvertaken == true), of: chain, knownAt: knownAt)
        case .subscription:
            let told: ToldSubscription = try row.json(7)
            return News(.subscription(environment, revision: revision, rank: told.rank), of: chain, knownAt: knownAt)
        case .renewals:
            return News(.renewals(environment, try row.json(7)), of: chain, knownAt: knownAt)
        case .transaction, nil:
            let told: StoreTransaction? = try row.isNull(7) ? nil : row.json(7)
            return News(.transaction(environment, try row.id(4), told), of: chain, knownAt: knownAt)
        }
    }
}
