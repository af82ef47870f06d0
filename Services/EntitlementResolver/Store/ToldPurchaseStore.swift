internal import Lane
internal import Messages
internal import SQLite

/// What was told of users' purchases, and of which chains something may have to be told.
enum ToldPurchaseStore {
    /// A chain of a user of which there may be something new to tell.
    struct Untold {
        var chain: ChainID
        var customer: Customer
        /// Nil: as it was told before.
        var app: AppID?
    }

    /// What was told last of one transaction.
    struct Told {
        var revision: Int
        /// As it was encoded.
        var text: [UInt8]

        func purchase() throws -> Purchase { try MessageJSON.decode(Purchase.self, from: text) }
    }

    /// Has a chain looked at soon.
    static func mark(
        _ chain: ChainID, of customer: Customer, boughtIn app: AppID? = nil, at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO untold_purchases (organisation, user, realm, original, bucket, app, due_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET app = IFNULL(excluded.app, app)
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(chain.realm),
            SQLValue(chain.original), SQLValue(customer.bucket.number), SQLValue(app), SQLValue(now))
    }

    /// When something is to be told next: nothing waits for its time.
    static func next(in store: borrowing some Reading & ~Copyable) throws -> Timestamp? {
        try store.first("SELECT due_at FROM untold_purchases LIMIT 1") { try $0.time(0) }
    }

    static func untold(limit: Int, in store: borrowing some Reading & ~Copyable) throws -> [Untold] {
        try store.all(
            "SELECT organisation, realm, original, user, app FROM untold_purchases LIMIT ?", SQLValue(limit)
        ) { row in
            let chain = try row.chain(0)
            return Untold(
                chain: chain, customer: Customer(chain.organisation, try row.id(3)), app: try row.idOrNil(4))
        }
    }

    /// It has been looked at.
    static func unmark(_ untold: Untold, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "DELETE FROM untold_purchases WHERE organisation = ? AND user = ? AND realm = ? AND original = ?",
            SQLValue(untold.customer.organisation), SQLValue(untold.customer.user), SQLValue(untold.chain.realm),
            SQLValue(untold.chain.original))
    }

    /// Of each transaction.
    static func told(
        of place: PurchasePlace, in store: borrowing some Reading & ~Copyable
    ) throws -> [TransactionID: Told] {
        var told: [TransactionID: Told] = [:]
        try store.forEach(
            """
            SELECT id, revision, told FROM told_purchases
            WHERE organisation = ? AND user = ? AND realm = ? AND original = ? AND environment = ?
            """, bindings: place.bindings
        ) { told[try $0.id(0)] = Told(revision: try $0.int(1), text: try $0.blob(2)) }
        return told
    }

    /// In which app a chain was told to have been bought; nil: nothing was told of it.
    static func app(
        of place: PurchasePlace, in store: borrowing some Reading & ~Copyable
    ) throws -> AppID?? {
        try store.first(
            """
            SELECT app FROM told_purchases
            WHERE organisation = ? AND user = ? AND realm = ? AND original = ? AND environment = ? LIMIT 1
            """, bindings: place.bindings
        ) { try $0.idOrNil(0) }
    }

    static func record(
        _ text: [UInt8], boughtIn app: AppID?, of id: TransactionID, in place: PurchasePlace, revision: Int,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            REPLACE INTO told_purchases (
                organisation, user, realm, original, environment, id, bucket, revision, app, told)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            bindings: place.bindings + [
                SQLValue(id), SQLValue(Customer(place.chain.organisation, place.user).bucket.number),
                SQLValue(revision), SQLValue(app), .blob(text),
            ])
    }
}

extension PurchasePlace {
    fileprivate var bindings: [SQLValue] {
        [
            SQLValue(chain.organisation), SQLValue(user), SQLValue(chain.realm), SQLValue(chain.original),
            SQLValue(environment),
        ]
    }
}
