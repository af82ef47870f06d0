internal import JSON
internal import Lane
internal import Messages
internal import SQLite

/// What is kept of a user, table by table, as an export shows it.
enum UserRecords {
    /// A record, and the row that it is in.
    typealias Found = (place: Int64, record: UserRecordsPage.Record)

    /// A table, read for a user from behind a row on, up to so many rows.
    struct Section: Sendable {
        let read: @Sendable (Customer, Int64, Int, borrowing Snapshot) throws -> [Found]
    }

    /// In the order in which they are shown. A cursor may name one by its number: new ones are added at the end.
    static let sections = [
        events("events", isShown: EventStore.isShown), events("waiting_events", isShown: "1"), exposures, purchases,
    ]

    private static func events(_ table: String, isShown: String) -> Section {
        let sql = """
            SELECT rowid, \(isShown), \(StoredEvent.columns) FROM \(table) INDEXED BY \(table)_by_user
            WHERE organisation = ? AND user = ? AND rowid > ? ORDER BY rowid LIMIT ?
            """
        return Section { customer, place, limit, snapshot in
            try snapshot.all(
                SQL(composed: sql), SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(place),
                SQLValue(limit)
            ) { row in
                var event = try StoredEvent(row, from: 2)
                if try !row.bool(1) { event.isOvertaken = true }
                let content = try MessageJSON.decode(JSONValue.self, from: try MessageJSON.encode(event))
                return (try row.int64(0), UserRecordsPage.Record(sort: table, at: event.at, content: content))
            }
        }
    }
}
