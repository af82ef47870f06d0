internal import Lane
internal import Messages
internal import SQLite

/// Events in the order in which they were stored, and those of one user.
enum EventPages {
    /// How many rows one question looks at, whether they are wanted or not.
    static let mostSeen = 5000

    /// A page, and where it ended.
    struct Page {
        var events: [StoredEvent] = []
        /// Nil: there are no more.
        var end: Int64?
    }

    /// The place of the newest.
    static func newest(in store: borrowing some Reading & ~Copyable) throws -> Int64 {
        try store.first("SELECT IFNULL(MAX(rowid), 0) FROM events") { try $0.int64(0) } ?? 0
    }

    /// Those behind `place` that the question wants, of up to `mostSeen` rows.
    static func page(
        _ query: SignpostsPage, after place: Int64?, limit: Int, mostSeen: Int = mostSeen,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Page {
        let isForward = query.isForward ?? false
        let ofOneUser = query.organisation != nil && query.user != nil
        let rows = ofOneUser ? rowsOfUser : allRows
        let sql = SQL(composed: "\(columns) \(rows) \(isForward ? onwards : backwards)")
        var page = Page()
        var seen = 0
        let bindings = [
            SQLValue(query.organisation), SQLValue(query.app), SQLValue(query.user), SQLValue(query.name),
            SQLValue(place ?? Int64.max),
        ]
        try store.visitRows(of: sql, bindings: bindings) { row in
            seen += 1
            let place = try row.int64(1)
            page.end = place
            if try row.bool(0) { page.events.append(try StoredEvent(row, from: 2, place: place)) }
            return page.events.count < limit && seen < mostSeen ? .next : .stop
        }
        let isAtEnd = page.events.count < limit && seen < mostSeen
        if isAtEnd, !isForward { page.end = nil }
        return page
    }

    // The first column says whether a row is wanted; the statement is put together from texts of this file alone.
    private static let columns = """
        SELECT IFNULL((?1 IS NULL OR organisation = ?1) AND (?2 IS NULL OR app = ?2) AND (?3 IS NULL OR user = ?3)
            AND (?4 IS NULL OR name = ?4) AND \(EventStore.isShown), 0), rowid, \(StoredEvent.columns)
        """
    private static let allRows = "FROM events WHERE"
    private static let rowsOfUser =
        "FROM events INDEXED BY events_by_user WHERE organisation = ?1 AND user = ?3 AND"
    private static let onwards = "rowid > ?5 ORDER BY rowid"
    private static let backwards = "rowid < ?5 ORDER BY rowid DESC"
}
