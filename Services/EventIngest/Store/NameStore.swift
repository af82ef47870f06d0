internal import Lane
internal import Messages
internal import SQLite

/// The names of events that apps have used.
enum NameStore {
    /// What is known here of a name.
    enum Verdict: Hashable {
        /// It is one of the app's.
        case accepted
        /// Its events are dropped.
        case rejected(EventFault)
        /// It has to be proposed.
        case unknown
    }

    /// All of an app's.
    static func book(of app: App, in store: borrowing some Reading & ~Copyable) throws -> EventNameBook {
        let bindings = [SQLValue(app.organisation), SQLValue(app.id)]
        let known = try store.first(
            "SELECT version, claims FROM event_books WHERE organisation = ? AND app = ?", bindings: bindings
        ) { (version: try $0.int(0), claims: try $0.textOrNil(1)) }
        let released = try store.all(
            "SELECT name, released_at FROM released_names WHERE organisation = ? AND app = ? ORDER BY name",
            bindings: bindings
        ) { EventNameBook.Released(name: try $0.id(0), at: try $0.time(1)) }
        return EventNameBook(
            organisation: app.organisation, app: app.id,
            names: try store.all(
                "SELECT name, since, trust FROM event_names WHERE organisation = ? AND app = ? ORDER BY number, name",
                bindings: bindings
            ) {
                EventNameBook.Entry(
                    name: try $0.id(0), since: try $0.time(1), trust: try $0.textOrNil(2).map(Trust.init(rawValue:)))
            }, version: known?.version, released: released.isEmpty ? nil : released,
            claims: known?.claims.map(Trust.init(rawValue:)))
    }

    /// What is known here of a name, for an event that was accepted at `time`.
    static func verdict(
        on name: EventName, of app: App, isAttested: Bool, at time: Timestamp,
        in store: borrowing some Reading & ~Copyable
    ) throws -> Verdict {
        let place = [SQLValue(app.organisation), SQLValue(app.id), SQLValue(name)]
        let isReleased = try store.exists(
            "SELECT 1 FROM released_names WHERE organisation = ? AND app = ? AND name = ? AND released_at >= ?",
            bindings: place + [SQLValue(time)])
        if isReleased { return .rejected(.nameReleased) }
        let isKnown = try store.exists(
            "SELECT 1 FROM event_names WHERE organisation = ? AND app = ? AND name = ?", bindings: place)
        if isKnown { return .accepted }
        if !isAttested, try isForAttested(app, in: store) { return .rejected(.nameUnclaimable) }
        return try isFull(app, in: store) ? .rejected(.nameOverBudget) : .unknown
    }

    /// Whether an app has used up its names, as far as is known here.
    static func isFull(_ app: App, in store: borrowing some Reading & ~Copyable) throws -> Bool {
        let count = try store.first(
            "SELECT COUNT(*) FROM event_names WHERE organisation = ? AND app = ?", SQLValue(app.organisation),
            SQLValue(app.id)
        ) { try $0.int(0) }
        return count ?? 0 >= EventName.budget
    }

    /// Whether only attested callers may claim names.
    static func isForAttested(_ app: App, in store: borrowing some Reading & ~Copyable) throws -> Bool {
        try store.exists(
            "SELECT 1 FROM event_books WHERE organisation = ? AND app = ? AND claims IS NOT NULL",
            SQLValue(app.organisation), SQLValue(app.id))
    }

    /// Notes which command says who may claim names, unless one that was accepted later does.
    ///
    /// - Returns: whether it is this one.
    static func noteRule(
        of app: App, _ time: Timestamp, _ command: MessageID, in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.run(
            """
            INSERT INTO event_books (organisation, app, version, ruled_at, ruled_by) VALUES (?, ?, 0, ?, ?)
            ON CONFLICT DO UPDATE SET ruled_at = excluded.ruled_at, ruled_by = excluded.ruled_by
            WHERE (excluded.ruled_at, excluded.ruled_by) >= (IFNULL(ruled_at, 0), IFNULL(ruled_by, ''))
            """, SQLValue(app.organisation), SQLValue(app.id), SQLValue(time), SQLValue(command)) > 0
    }

    /// Keeps a book unless a newer one is there; what was taken back is to be followed by ``ReleasedNames``.
    static func keep(_ book: EventNameBook, in transaction: borrowing Transaction) throws {
        let place = [SQLValue(book.organisation), SQLValue(book.app)]
        let isNews = try transaction.run(
            """
            INSERT INTO event_books (organisation, app, version, claims) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET version = excluded.version, claims = excluded.claims
            WHERE excluded.version > version
            """, bindings: place + [SQLValue(book.edition), SQLValue(book.claims)])
        guard isNews > 0 else { return }
        try transaction.run("DELETE FROM event_names WHERE organisation = ? AND app = ?", bindings: place)
        for (number, entry) in book.names.prefix(EventName.budget).enumerated() {
            try transaction.run(
                """
                INSERT INTO event_names (organisation, app, name, number, since, trust) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """,
                bindings: place + [
                    SQLValue(entry.name), SQLValue(number), SQLValue(entry.since), SQLValue(entry.trust),
                ])
        }
        for released in (book.released ?? []).prefix(EventNameBook.mostReleased) {
            try transaction.run(
                """
                INSERT INTO released_names (organisation, app, name, released_at, swept) VALUES (?, ?, ?, ?, 0)
                ON CONFLICT DO UPDATE SET released_at = excluded.released_at, swept = 0
                WHERE excluded.released_at > released_at
                """, bindings: place + [SQLValue(released.name), SQLValue(released.at)])
        }
    }
}
