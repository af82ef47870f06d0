internal import Lane
internal import Messages
internal import SQLite

/// Artifacts as they were received.
enum ArtifactStore {
    /// Keeps an artifact as it was received; one that is there already stays.
    static func keep(
        _ text: String, digest: ArtifactDigest, bucket: Bucket, receivedAt: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            "INSERT INTO artifacts (digest, bucket, text, received_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            SQLValue(digest), SQLValue(bucket.number), .text(text), SQLValue(receivedAt))
    }

    /// An artifact's text, as it was received.
    static func text(
        of digest: ArtifactDigest, in store: borrowing some Reading & ~Copyable
    ) throws -> String? {
        try store.first("SELECT text FROM artifacts WHERE digest = ?", SQLValue(digest)) { try $0.text(0) }
    }

    /// When an artifact was first received.
    static func receivedAt(
        _ digest: ArtifactDigest, in store: borrowing some Reading & ~Copyable
    ) throws -> Timestamp? {
        try store.first("SELECT received_at FROM artifacts WHERE digest = ?", SQLValue(digest)) { try $0.time(0) }
    }
}
