internal import Messages
internal import SQLite

/// What has been applied or refused, by message id: a repeat is skipped and gets the same answer.
enum Inbox {
    enum Entry {
        /// Not seen; it is taken down now.
        case new
        /// Applied already; the answer, where one was asked for.
        case repeated(answer: [UInt8]?)
        /// Another body came under this id.
        case otherBody
    }

    /// Takes down `id`, or says what is there.
    static func enter(
        _ id: MessageID, kind: String, digest: [UInt8], bucket: Bucket, at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Entry {
        let entered = try transaction.run(
            "INSERT INTO inbox (id, bucket, kind, digest, applied_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            .text(id.rawValue), SQLValue(bucket.number), .text(kind), .blob(digest), SQLValue(now))
        if entered == 1 { return .new }
        let known = try transaction.first("SELECT digest, answer FROM inbox WHERE id = ?", .text(id.rawValue)) {
            (digest: try $0.blob(0), answer: try $0.blobOrNil(1))
        }
        guard let known, known.digest == digest else { return .otherBody }
        return .repeated(answer: known.answer)
    }

    /// Keeps the answer for repeats.
    static func keep(answer: [UInt8], for id: MessageID, in transaction: borrowing Transaction) throws {
        try transaction.run("UPDATE inbox SET answer = ? WHERE id = ?", .blob(answer), .text(id.rawValue))
    }

    /// Whether this very message has been applied.
    static func contains(_ id: MessageID, digest: [UInt8], in transaction: borrowing Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM inbox WHERE id = ? AND digest = ?", .text(id.rawValue), .blob(digest))
    }

    /// Forgets a few thousand old ids from `cursor` on.
    ///
    /// - Returns: where to go on; nil at the end of the table.
    static func prune(
        appliedBefore limit: Timestamp, strangersBefore strangersLimit: Timestamp, after cursor: String,
        in transaction: borrowing Transaction
    ) throws -> String? {
        try transaction.run(
            """
            DELETE FROM inbox WHERE id IN (
                SELECT id FROM inbox WHERE id >= 'sha256:' AND applied_at < ? ORDER BY applied_at LIMIT 2000)
            """, SQLValue(strangersLimit))
        let page = try transaction.all(
            "SELECT id FROM inbox WHERE id > ? ORDER BY id LIMIT 2000", .text(cursor)
        ) { try $0.text(0) }
        guard let last = page.last else { return nil }
        try transaction.run(
            "DELETE FROM inbox WHERE id > ? AND id <= ? AND applied_at < ?", .text(cursor), .text(last),
            SQLValue(limit))
        return page.count < 2000 ? nil : last
    }
}
