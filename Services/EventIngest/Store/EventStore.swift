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

    /// Keeps an event; of two that are the same the one that was accepted last stays, whichever comes first: if it were the
    /// first one, an erasure between them would take the other along, or not, depending on what comes first.
    ///
    /// - Returns: whether it is new.
    static func keep(
        _ event: JudgedEvents.Good, of events: JudgedEvents, from message: MessageContext, on shelf: Shelf,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        let bindings = [
            SQLValue(events.customer.organisation), SQLValue(events.customer.user), SQLValue(events.app.id),
            .blob(event.identity.digest), SQLValue(message.bucket.number), SQLValue(event.name), SQLValue(event.id),
            SQLValue(event.at), SQLValue(event.sentAt), SQLValue(event.properties), SQLValue(events.trust),
            SQLValue(message.acceptedAt), SQLValue(message.id), SQLValue(event.place), SQLValue(message.now),
        ]
        guard try transaction.run(shelf.insertion, bindings: bindings) == 0 else { return true }
        try transaction.run(shelf.correction, bindings: Array(bindings.dropLast()))
        return false
    }
}

extension EventStore.Shelf {
    fileprivate var insertion: SQL {
        switch self {
        case .seen:
            """
            INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """
        case .waiting:
            """
            INSERT INTO waiting_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """
        }
    }

    fileprivate var correction: SQL {
        switch self {
        case .seen:
            """
            UPDATE events SET bucket = ?5, name = ?6, id = ?7, at = ?8, sent_at = ?9, properties = ?10, trust = ?11,
                accepted_at = ?12, message_id = ?13, place = ?14
            WHERE organisation = ?1 AND user = ?2 AND app = ?3 AND identity = ?4
                AND (?12, ?13, ?14) > (accepted_at, message_id, place)
            """
        case .waiting:
            """
            UPDATE waiting_events SET bucket = ?5, id = ?7, at = ?8, sent_at = ?9, properties = ?10, trust = ?11,
                accepted_at = ?12, message_id = ?13, place = ?14
            WHERE organisation = ?1 AND user = ?2 AND app = ?3 AND identity = ?4 AND name = ?6
                AND (?12, ?13, ?14) > (accepted_at, message_id, place)
            """
        }
    }
}
