internal import Lane
internal import Messages
internal import SQLite

/// The server keys, by their digests. A row never goes: a revoked key stays known as that.
enum KeyStore {
    /// The key of this name, or the key of any name with this digest.
    static func key(
        _ id: KeyID, of organisation: OrganisationID, orDigest digest: String? = nil,
        in store: borrowing some Reading & ~Copyable
    ) throws -> KeyRecord? {
        try store.first(
            """
            SELECT organisation, id, digest, scope, added_at, revoked_at, version FROM keys
            WHERE (organisation = ?1 AND id = ?2) OR digest = ?3
            """, SQLValue(organisation), SQLValue(id), SQLValue(digest), as: record)
    }

    /// Every key, by organisation and name.
    static func records(in store: borrowing some Reading & ~Copyable) throws -> [KeyRecord] {
        try store.all(
            """
            SELECT organisation, id, digest, scope, added_at, revoked_at, version FROM keys ORDER BY organisation, id
            """, as: record)
    }

    /// Stores a key that is new.
    static func add(_ key: KeyRecord, bucket: Bucket, in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            INSERT INTO keys (organisation, id, bucket, digest, scope, added_at, revoked_at, version)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, SQLValue(key.organisation), SQLValue(key.id), SQLValue(bucket.number), .text(key.digest),
            SQLValue(key.scope), SQLValue(key.addedAt), SQLValue(key.revokedAt), SQLValue(key.version))
    }

    /// Stores from when on a key is refused.
    static func revoke(_ key: KeyRecord, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "UPDATE keys SET revoked_at = ?, version = ? WHERE organisation = ? AND id = ?",
            SQLValue(key.revokedAt), SQLValue(key.version), SQLValue(key.organisation), SQLValue(key.id))
    }

    private static func record(_ row: borrowing Row) throws -> KeyRecord {
        KeyRecord(
            organisation: try row.id(0), id: try row.id(1), digest: try row.text(2), scope: try row.id(3),
            addedAt: try row.time(4), revokedAt: try row.timeOrNil(5), version: try row.int(6))
    }
}
