internal import Lane
internal import Messages
internal import SQLite

/// Users who have to be looked at because configuration has changed, and how far that has come.
enum ReassessmentStore {
    /// Whom a change concerns, and behind whom to go on.
    struct Reassessment {
        var organisation: OrganisationID
        /// Nil: the holders of any product.
        var product: ProductID?
        var position: Position
    }

    /// A holder of a product.
    struct Position {
        var product: ProductID
        var user: AppUserID
    }

    /// Asks for the holders of a product, or of any product where it is nil, to be looked at from the first one on.
    static func ask(
        _ organisation: OrganisationID, _ product: ProductID?, at time: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            REPLACE INTO reassessments (organisation, product, after_product, after_user, asked_at)
            VALUES (?, ?, '', '', ?)
            """, SQLValue(organisation), SQLValue(product ?? ProductID(rawValue: "")), SQLValue(time))
    }

    static func next(in store: borrowing some Reading & ~Copyable) throws -> (work: Reassessment, askedAt: Timestamp)? {
        try store.first(
            """
            SELECT organisation, product, after_product, after_user, asked_at FROM reassessments
            ORDER BY asked_at, organisation, product LIMIT 1
            """
        ) { row in
            let product: ProductID = try row.id(1)
            return (
                Reassessment(
                    organisation: try row.id(0), product: product.rawValue.isEmpty ? nil : product,
                    position: Position(product: try row.id(2), user: try row.id(3))), try row.time(4)
            )
        }
    }

    /// The holders who come next, up to `limit`.
    static func holders(
        for work: Reassessment, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [Position] {
        if let product = work.product {
            return try store.all(
                """
                SELECT user FROM held_products WHERE organisation = ? AND product = ? AND user > ?
                ORDER BY user LIMIT ?
                """, SQLValue(work.organisation), SQLValue(product), SQLValue(work.position.user), SQLValue(limit)
            ) { Position(product: product, user: try $0.id(0)) }
        }
        return try store.all(
            """
            SELECT product, user FROM held_products WHERE organisation = ? AND (product, user) > (?, ?)
            ORDER BY product, user LIMIT ?
            """, SQLValue(work.organisation), SQLValue(work.position.product), SQLValue(work.position.user),
            SQLValue(limit)
        ) { Position(product: try $0.id(0), user: try $0.id(1)) }
    }

    /// Goes on behind `position` next time, or is done where it is nil.
    static func advance(
        _ work: Reassessment, to position: Position?, in transaction: borrowing Transaction
    ) throws {
        let product = work.product ?? ProductID(rawValue: "")
        guard let position else {
            try transaction.run(
                "DELETE FROM reassessments WHERE organisation = ? AND product = ?", SQLValue(work.organisation),
                SQLValue(product))
            return
        }
        try transaction.run(
            "UPDATE reassessments SET after_product = ?, after_user = ? WHERE organisation = ? AND product = ?",
            SQLValue(position.product), SQLValue(position.user), SQLValue(work.organisation), SQLValue(product))
    }
}
