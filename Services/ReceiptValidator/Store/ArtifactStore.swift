internal import Lane
internal import Messages
internal import SQLite

/// Artifacts as they were received, and the verdict on each for each app.
enum ArtifactStore {
    /// The verdict on an artifact for an app; nil: not judged yet.
    static func verdict(
        on digest: ArtifactDigest, for app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> ArtifactVerdict? {
        try store.first(
            """
            SELECT "transaction", step, reason, message FROM verdicts
            WHERE organisation = ? AND app = ? AND digest = ?
            """, SQLValue(organisation), SQLValue(app), SQLValue(digest)
        ) { row in
            if let body = try row.blobOrNil(0) {
                return .verified(try MessageJSON.decode(StoreTransaction.self, from: body))
            }
            return .refused(.init(step: try row.text(1), reason: try row.text(2), text: try row.text(3)))
        }
    }

    /// Keeps an artifact as it was received; one that is there already stays.
    static func keep(
        _ artifact: Artifact, digest: ArtifactDigest, bucket: Bucket, receivedAt: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO artifacts (digest, bucket, kind, text, received_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, SQLValue(digest), SQLValue(bucket.number), SQLValue(artifact.kind), .text(artifact.text),
            SQLValue(receivedAt))
    }

    static func record(
        _ verdict: ArtifactVerdict, on digest: ArtifactDigest, for app: AppRecord, bucket: Bucket,
        judgedAt: Timestamp, in transaction: borrowing Transaction
    ) throws {
        var body: [UInt8]?
        var grounds: ArtifactVerdict.Grounds?
        switch verdict {
        case .verified(let verified): body = try MessageJSON.encode(verified)
        case .refused(let refused): grounds = refused
        }
        try transaction.run(
            """
            INSERT INTO verdicts (
                organisation, app, digest, bucket, judged_at, app_version, is_test, "transaction", step, reason,
                message)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, SQLValue(app.organisation), SQLValue(app.app), SQLValue(digest), SQLValue(bucket.number),
            SQLValue(judgedAt), SQLValue(app.version), SQLValue(app.isTest), SQLValue(body),
            SQLValue(grounds?.step), SQLValue(grounds?.reason), SQLValue(grounds?.text))
    }
}
