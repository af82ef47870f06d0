internal import Lane
internal import Messages
internal import SQLite

/// Events: those that everybody sees, and those whose names are not judged yet.
enum EventStore {
    /// Where an event is kept.
    enum Shelf {
        case seen
        case waiting
    }

    /// Whether a row of `events` is the one that stands for its identity: what attested callers say before what others do,
    /// then what was accepted last. Whoever shows or counts events asks it.
    ///
    /// Which one it is is found on reading: were only the best one kept, an erasure of it would leave nothing, or what it
    /// had displaced, depending on what came first.
    static let isShown = """
        NOT EXISTS (
            SELECT 1 FROM events AS other INDEXED BY events_by_user
            WHERE other.organisation = events.organisation AND other.user = events.user AND other.app = events.app
                AND other.identity = events.identity
                AND (other.is_attested, other.accepted_at, other.message_id, other.place)
                    > (events.is_attested, events.accepted_at, events.message_id, events.place))
        """

    /// Keeps an event. There is one of each identity, name and trust; of two the one that was accepted last stays,
    /// whichever comes first: if it were the first one, an erasure between them would take the other along, or not,
    /// depending on what comes first.
    ///
    /// - Returns: whether there was none of its identity.
    static func keep(
        _ event: JudgedEvents.Good, of events: JudgedEvents, from message: MessageContext, on shelf: Shelf,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        let bindings = [
            SQLValue(events.customer.organisation), SQLValue(events.customer.user), SQLValue(events.app.id),
            .blob(event.identity.digest), SQLValue(message.bucket.number), SQLValue(event.name), SQLValue(event.id),
            SQLValue(event.at), SQLValue(event.sentAt), SQLValue(event.properties), SQLValue(events.trust),
            SQLValue(events.acceptedAt), SQLValue(message.id), SQLValue(event.place), SQLValue(event.step?.step),
            SQLValue(event.step?.index), SQLValue(message.now),
        ]
        if try transaction.run(shelf.insertion, bindings: bindings) == 0 {
            try transaction.run(shelf.correction, bindings: Array(bindings.dropLast()) + [SQLValue(events.isAttested)])
            return false
        }
        return try transaction.first(shelf.sameness, bindings: Array(bindings.prefix(4))) { try $0.int(0) } == 1
    }

    /// How many rows there are under each name of an app, on both shelves: all are looked at.
    static func counts(
        of app: App, in store: borrowing some Reading & ~Copyable
    ) throws -> [EventNameUsage.Value.Count] {
        try store.all(
            """
            SELECT name, SUM(is_attested), SUM(1 - is_attested) FROM (
                SELECT name, is_attested FROM events WHERE organisation = ?1 AND app = ?2
                UNION ALL SELECT name, is_attested FROM waiting_events WHERE organisation = ?1 AND app = ?2)
            GROUP BY name ORDER BY name
            """, SQLValue(app.organisation), SQLValue(app.id)
        ) { EventNameUsage.Value.Count(name: try $0.id(0), attested: try $0.int(1), unverified: try $0.int(2)) }
    }
}

extension EventStore.Shelf {
    fileprivate var insertion: SQL {
        switch self {
        case .seen:
            """
            INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """
        case .waiting:
            """
            INSERT INTO waiting_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """
        }
    }

    fileprivate var correction: SQL {
        switch self {
        case .seen:
            """
            UPDATE events SET bucket = ?5, id = ?7, at = ?8, sent_at = ?9, properties = ?10, trust = ?11,
                accepted_at = ?12, message_id = ?13, place = ?14, step = ?15, step_index = ?16
            WHERE organisation = ?1 AND user = ?2 AND app = ?3 AND identity = ?4 AND name = ?6 AND is_attested = ?17
                AND (?12, ?13, ?14) > (accepted_at, message_id, place)
            """
        case .waiting:
            """
            UPDATE waiting_events SET bucket = ?5, id = ?7, at = ?8, sent_at = ?9, properties = ?10, trust = ?11,
                accepted_at = ?12, message_id = ?13, place = ?14, step = ?15, step_index = ?16
            WHERE organisation = ?1 AND user = ?2 AND app = ?3 AND identity = ?4 AND name = ?6 AND is_attested = ?17
                AND (?12, ?13, ?14) > (accepted_at, message_id, place)
            """
        }
    }

    /// How many there are of one identity.
    fileprivate var sameness: SQL {
        switch self {
        case .seen: "SELECT COUNT(*) FROM events WHERE organisation = ? AND user = ? AND app = ? AND identity = ?"
        case .waiting:
            "SELECT COUNT(*) FROM waiting_events WHERE organisation = ? AND user = ? AND app = ? AND identity = ?"
        }
    }
}
