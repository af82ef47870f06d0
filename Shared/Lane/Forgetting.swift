internal import Messages
internal import Messaging
internal import SQLite

/// Lets dead letters be forgotten: of what they said nothing is kept, in the table, in what replays of them came to, and,
/// as far as a checkpoint reaches, in the store's files.
struct Forgetting: Sendable {
    let lane: Lane

    /// How many letters one transaction empties, and about how many bytes: the lane waits meanwhile, and SQLite writes zeros
    /// over all of it.
    private static let portion = 2000
    private static let portionBytes = 32 << 20

    func forget(_ request: DeadForget) async throws -> Verdict<DeadForget.Value> {
        let filter = try await lane.database.read { try SelectionTable.filter(of: request.run, in: $0) }
        guard let filter else {
            return .refused(Refusal("selection_unknown", "There is no such preview, or it is forgotten"))
        }
        guard filter.isWherever == true else {
            return .refused(Refusal("selection_unfit", "The preview is not one of what is to be forgotten"))
        }
        let (now, bucket) = (lane.clock(), Bucket.all[lane.address.number])
        var value = try await lane.database.write { transaction in
            let letters = try Self.next(request, in: transaction)
            let forgotten = try Self.empty(letters, for: request, at: now, in: transaction)
            try SelectionTable.mark(forgotten, .forgotten, of: request.run, in: transaction)
            try SelectionTable.markGone(letters, of: request.run, in: transaction)
            try AuditTrail.note(
                .forget, by: request.by, why: request.why, count: forgotten.count, run: request.run, filter: filter,
                bucket: bucket, at: now, in: transaction)
            return DeadForget.Value(
                forgotten: forgotten.count,
                remaining: try SelectionTable.countToDo(of: request.run, in: transaction),
                heldBy: try Self.holder(of: request.run, in: transaction))
        }
        // What was overwritten stays in the log's older pages until they are written anew, which may take weeks. Done by the
        // last request too, which forgets nothing: the process may have died between the two.
        if try await !lane.database.checkpoint() { value.isInLog = true }
        return .applied(value)
    }

    /// Whether a message of this id has been forgotten here: nobody brings it back.
    static func isForgotten(_ id: MessageID, in transaction: borrowing Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM dead_letters WHERE id = ? AND forgotten_at IS NOT NULL", .text(id.rawValue))
    }

    /// The next letters of the selection, but for what is being sent: that has to be replayed to its end first, for it may be
    /// on its queue.
    private static func next(_ request: DeadForget, in transaction: borrowing Transaction) throws -> [Int] {
        var letters: [Int] = []
        var size = 0
        let limit = min(max(0, request.count), portion)
        try transaction.visitRows(
            of: """
                SELECT s.letter, ifnull(length(d.properties) + length(d.body) + ifnull(length(d.original), 0), 0)
                FROM selected_letters s LEFT JOIN dead_letters d ON d.number = s.letter
                WHERE s.run = ? AND s.outcome = 'frozen' AND s.letter NOT IN (SELECT letter FROM letters_on_their_way)
                ORDER BY s.letter LIMIT ?
                """, bindings: [.text(request.run.rawValue), SQLValue(limit)]
        ) { row in
            letters.append(try row.int(0))
            size += try row.int(1)
            return size >= portionBytes ? .stop : .next
        }
        return letters
    }

    /// Every column that a sender, a handler or an operator has filled with what may tell of a user.
    ///
    /// - Returns: those that were there and not forgotten yet.
    private static func empty(
        _ letters: [Int], for request: DeadForget, at now: Timestamp, in transaction: borrowing Transaction
    ) throws -> [Int] {
        let emptied = try transaction.all(
            """
            UPDATE dead_letters
            SET key = NULL, text = '', routing_key = '', origin = NULL, edited_at = NULL, edited_by = NULL,
                discarded_at = ifnull(discarded_at, ?1), discarded_by = ifnull(discarded_by, ?2), discarded_why = '',
                properties = x'', body = x'', original = NULL,
                forgotten_at = ?1, forgotten_by = ?2, forgotten_why = ?3
            WHERE number IN (SELECT value FROM json_each(?4)) AND forgotten_at IS NULL RETURNING number, id
            """, SQLValue(now), .text(request.by), .text(request.why), .numbers(letters)
        ) { (number: try $0.int(0), id: try $0.text(1)) }
        guard !emptied.isEmpty else { return [] }
        // What was said of them, and of their earlier lives, after replays.
        try transaction.run(
            "UPDATE selected_letters SET text = NULL WHERE text IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
            try .texts(emptied.map(\.id)))
        return emptied.map(\.number)
    }

    /// Whose replay holds letters of the selection.
    private static func holder(of run: MessageID, in transaction: borrowing Transaction) throws -> MessageID? {
        try transaction.first(
            """
            SELECT o.run FROM letters_on_their_way o JOIN selected_letters own ON own.run = ? AND own.letter = o.letter
            WHERE own.outcome = 'frozen' LIMIT 1
            """, .text(run.rawValue)
        ) { MessageID(rawValue: try $0.text(0)) }
    }
}

extension Refusal {
    static func letterForgotten(_ address: PartitionAddress, _ number: Int) -> Refusal {
        Refusal("letter_forgotten", "Nothing is kept of what \(address)/\(number) said: it has been forgotten")
    }
}
