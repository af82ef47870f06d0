internal import Lane
internal import Messages
internal import SQLite

/// The names of events that apps have used.
enum NameStore {
    /// All of an app's.
    static func book(of app: App, in store: borrowing some Reading & ~Copyable) throws -> EventNameBook {
        EventNameBook(
            organisation: app.organisation, app: app.id,
            names: try store.all(
                "SELECT name, since FROM event_names WHERE organisation = ? AND app = ? ORDER BY number, name",
                SQLValue(app.organisation), SQLValue(app.id)
            ) { EventNameBook.Entry(name: try $0.id(0), since: try $0.time(1)) })
    }

    /// What is known here of a name.
    static func verdict(
        on name: EventName, of app: App, in store: borrowing some Reading & ~Copyable
    ) throws -> EventNameBook.Verdict {
        let isKnown = try store.exists(
            "SELECT 1 FROM event_names WHERE organisation = ? AND app = ? AND name = ?", SQLValue(app.organisation),
            SQLValue(app.id), SQLValue(name))
        return isKnown ? .accepted : try isFull(app, in: store) ? .rejected : .unknown
    }

    /// Whether an app has used up its names, as far as is known here.
    static func isFull(_ app: App, in store: borrowing some Reading & ~Copyable) throws -> Bool {
        let count = try store.first(
            "SELECT COUNT(*) FROM event_names WHERE organisation = ? AND app = ?", SQLValue(app.organisation),
            SQLValue(app.id)
        ) { try $0.int(0) }
        return count ?? 0 >= EventName.budget
    }

    /// Adds the names of a book that are not known yet.
    static func add(_ book: EventNameBook, in transaction: borrowing Transaction) throws {
        for (number, entry) in book.names.prefix(EventName.budget).enumerated() {
            try transaction.run(
                """
                INSERT INTO event_names (organisation, app, name, number, since) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """, SQLValue(book.organisation), SQLValue(book.app), SQLValue(entry.name), SQLValue(number),
                SQLValue(entry.since))
        }
    }
}
