internal import Lane
internal import Messages
internal import SQLite

extension StoredEvent {
    /// The columns that it is made of, of either table.
    static let columns = """
        organisation, app, user, name, id, at, sent_at, properties, trust, accepted_at, stored_at, message_id
        """

    /// From a row with ``columns``, of which the first one is at `start`.
    init(_ row: borrowing Row, from start: Int, place: Int64? = nil) throws {
        self.init(
            organisation: try row.id(start), app: try row.id(start + 1), user: try row.id(start + 2),
            name: try row.id(start + 3), id: try row.textOrNil(start + 4), at: try row.time(start + 5),
            sentAt: try row.textOrNil(start + 6),
            properties: try row.isNull(start + 7) ? nil : try row.json(start + 7), trust: try row.id(start + 8),
            acceptedAt: try row.time(start + 9), storedAt: try row.time(start + 10), message: try row.id(start + 11),
            place: place)
    }
}
