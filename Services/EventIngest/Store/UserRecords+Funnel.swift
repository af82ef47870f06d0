internal import JSON
internal import Lane
internal import Messages
internal import SQLite

extension UserRecords {
    /// Paywalls that he has seen.
    static let exposures = Section { customer, place, limit, snapshot in
        try snapshot.all(
            """
            SELECT rowid, exposed_at, app, environment, install, experiment FROM funnel_exposures
            WHERE organisation = ? AND user = ? AND rowid > ? ORDER BY rowid LIMIT ?
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(place), SQLValue(limit)
        ) { row in
            let content: [String: JSONValue] = [
                "app": .string(try row.text(2)), "environment": .string(try row.text(3)),
                "install": .string(try row.text(4)), "experiment": .string(try row.text(5)),
            ]
            return (
                try row.int64(0),
                UserRecordsPage.Record(sort: "funnel_exposures", at: try row.time(1), content: .object(content))
            )
        }
    }

    /// What he has bought, as far as the funnel counts it.
    static let purchases = Section { customer, place, limit, snapshot in
        try snapshot.all(
            """
            SELECT rowid, IFNULL(purchased_at, told_at), app, environment, original, id, counts, is_refunded
            FROM funnel_purchases WHERE organisation = ? AND user = ? AND rowid > ? ORDER BY rowid LIMIT ?
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(place), SQLValue(limit)
        ) { row in
            let content: [String: JSONValue] = [
                "app": try row.textOrNil(2).map(JSONValue.string) ?? .null, "environment": .string(try row.text(3)),
                "originalTransaction": .string(try row.text(4)), "transaction": .string(try row.text(5)),
                "counts": .boolean(try row.bool(6)), "isRefunded": .boolean(try row.bool(7)),
            ]
            return (
                try row.int64(0),
                UserRecordsPage.Record(sort: "funnel_purchases", at: try row.time(1), content: .object(content))
            )
        }
    }
}
