internal import Lane
internal import Messages
internal import SQLite

/// Customers, and what callers say of them.
enum CustomerStore {
    /// What a fact is about: what an app may name freely, or what we ask of every device.
    enum FactSort: String {
        case attribute
        case device
        /// That a caller has named him without saying anything of him.
        case sighting
    }

    /// One thing that callers say of a customer.
    struct Fact {
        var sort: FactSort
        var name: String
        /// Nil: it has been taken back.
        var value: AttributeValue?
    }

    /// A customer with what is said of him.
    struct Profile {
        var firstSeen: Timestamp
        var lastSeen: Timestamp
        var facts: [Fact]
        /// How well the newest of the facts is founded; where nobody has told any, how well it is that he was named.
        var trust: Trust
    }

    /// Creates him if nobody has named him before.
    static func create(_ customer: Customer, at time: Timestamp, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "INSERT INTO customers (organisation, user, bucket, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(customer.bucket.number),
            SQLValue(time))
    }

    /// Since when he is known; nil: nobody has named him.
    static func creation(
        of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> Timestamp? {
        try store.first(
            "SELECT created_at FROM customers WHERE organisation = ? AND user = ?", SQLValue(customer.organisation),
            SQLValue(customer.user)
        ) { try $0.time(0) }
    }

    /// Notes that he was seen at `time`; creates him if nobody has named him before.
    static func see(_ customer: Customer, at time: Timestamp, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO customers (organisation, user, bucket, created_at, first_seen, last_seen)
            VALUES (?1, ?2, ?3, ?4, ?4, ?4)
            ON CONFLICT DO UPDATE SET first_seen = MIN(IFNULL(first_seen, ?4), ?4),
                last_seen = MAX(IFNULL(last_seen, ?4), ?4)
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(customer.bucket.number),
            SQLValue(time))
    }

    /// How many facts of his would be known after a caller of this trust had added `names`: to an attested one those count
    /// that such callers have told last.
    static func count(
        _ sort: FactSort, of customer: Customer, adding names: some Collection<String>, by trust: Trust,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Int {
        var known: Set<String> = []
        try store.forEach(
            """
            SELECT name FROM customer_facts
            WHERE organisation = ? AND user = ? AND sort = ? AND (trust IN ('attested', 'verified') OR NOT ?)
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(sort),
            SQLValue(trust.isAttested)
        ) { known.insert(try $0.text(0)) }
        return known.union(names).count
    }

    /// Keeps a fact unless a newer one of the same name is there.
    ///
    /// - Returns: whether it was kept.
    static func record(
        _ fact: Fact, of customer: Customer, version: FactVersion, trust: Trust,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.run(
            """
            INSERT INTO customer_facts
                (organisation, user, sort, name, bucket, value, trust, accepted_at, message_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET value = excluded.value, trust = excluded.trust,
                accepted_at = excluded.accepted_at, message_id = excluded.message_id
            WHERE (excluded.accepted_at, excluded.message_id) > (accepted_at, message_id)
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(fact.sort), .text(fact.name),
            SQLValue(customer.bucket.number), SQLValue(try fact.value.map { try MessageJSON.encode($0) }),
            SQLValue(trust), SQLValue(version.acceptedAt), SQLValue(version.message)) > 0
    }

    /// Nil: nobody has named him.
    static func profile(
        of customer: Customer, in store: borrowing some Reading & ~Copyable
    ) throws -> Profile? {
        guard let seen = try seen(customer, in: store) else { return nil }
        var profile = Profile(firstSeen: seen.first, lastSeen: seen.last, facts: [], trust: .unverified)
        try store.forEach(
            """
            SELECT sort, name, value, trust FROM customer_facts WHERE organisation = ? AND user = ?
            ORDER BY sort = 'sighting' DESC, accepted_at, message_id
            """, SQLValue(customer.organisation), SQLValue(customer.user)
        ) { row in
            profile.trust = try row.id(3)
            guard let sort = FactSort(rawValue: try row.text(0)), try !row.isNull(2) else { return }
            profile.facts.append(Fact(sort: sort, name: try row.text(1), value: try row.json(2)))
        }
        return profile
    }
}
