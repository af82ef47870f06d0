internal import JSON
internal import Lane
internal import Messages
internal import SQLite

/// The devices that were enrolled. A row never goes: a revoked device stays known as that.
enum DeviceStore {
    /// As ``device(_:)`` reads them.
    private static let columns = """
        organisation, app, key_id, environment, generation, least_generation, revoked_at, changed_at, version, is_test,
        counter, first_attested_at, attested_at, last_asserted_at, revoked_why, receipt_digest, receipt_is_verified,
        receipt_step, receipt_reason, bundle_version, validation_category, public_key, dead_tokens_until
        """

    /// The device, if it was ever enrolled.
    static func device(
        _ keyID: DeviceKeyID, of organisation: OrganisationID, app: AppID, in store: borrowing some Reading & ~Copyable
    ) throws -> Device? {
        try store.first(
            SQL(composed: "SELECT \(columns) FROM devices WHERE organisation = ? AND app = ? AND key_id = ?"),
            SQLValue(organisation), SQLValue(app), SQLValue(keyID), as: device)
    }

    /// Those of which there may be tokens that were good once and are not any more, by when the last of these ends.
    static func withDeadTokens(
        after place: Place, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [Device] {
        try store.all(
            SQL(
                composed: """
                    SELECT \(columns) FROM devices
                    WHERE dead_tokens_until >= ?1 AND (dead_tokens_until, organisation, app, key_id) > (?1, ?2, ?3, ?4)
                    ORDER BY dead_tokens_until, organisation, app, key_id LIMIT ?5
                    """),
            SQLValue(place.until), SQLValue(place.organisation), SQLValue(place.app), SQLValue(place.keyID),
            SQLValue(limit), as: device)
    }

    /// Where a page of those ended.
    struct Place {
        fileprivate let until: Timestamp
        fileprivate let organisation: OrganisationID
        fileprivate let app: AppID
        fileprivate let keyID: DeviceKeyID

        /// Before all of which there are such tokens at `now`.
        init(before now: Timestamp) {
            until = now + .milliseconds(1)
            (organisation, app, keyID) = (.init(rawValue: ""), .init(rawValue: ""), .init(rawValue: ""))
        }

        /// Nil for a device without such tokens.
        init?(_ device: Device) {
            guard let until = device.deadTokensUntil else { return nil }
            self.until = until
            let standing = device.record.standing
            (organisation, app, keyID) = (standing.organisation, standing.app, standing.keyID)
        }

        /// As it is told. Only the last part may have a slash in it.
        var cursor: String { "\(until.millisecondsSince1970)/\(Key.device(organisation, app, keyID))" }

        init?(cursor: String) {
            let parts = cursor.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 4, let until = Int64(parts[0]) else { return nil }
            self.until = Timestamp(clamping: until)
            organisation = OrganisationID(rawValue: parts[1])
            app = AppID(rawValue: parts[2])
            keyID = DeviceKeyID(rawValue: parts[3])
        }
    }

    /// Devices in the order of organisation, app and key id.
    ///
    /// - Parameters:
    ///   - place: the one before the first.
    ///   - visit: says whether it has seen enough.
    static func visit(
        after place: (organisation: OrganisationID, app: AppID, keyID: DeviceKeyID),
        in store: borrowing some Reading & ~Copyable, _ visit: (DeviceRecord) -> AfterRow
    ) throws {
        try store.visitRows(
            of: SQL(
                composed: """
                    SELECT \(columns) FROM devices WHERE (organisation, app, key_id) > (?, ?, ?)
                    ORDER BY organisation, app, key_id
                    """),
            bindings: [SQLValue(place.organisation), SQLValue(place.app), SQLValue(place.keyID)]
        ) { visit(try device($0).record) }
    }

    /// Stores the device as it is now.
    static func put(_ device: Device, bucket: Bucket, in transaction: borrowing Transaction) throws {
        let record = device.record
        let standing = record.standing
        // Whole rows: nothing refers to them.
        try transaction.run(
            SQL(
                composed: """
                    INSERT OR REPLACE INTO devices (bucket, \(columns))
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """),
            SQLValue(bucket.number), SQLValue(standing.organisation), SQLValue(standing.app),
            SQLValue(standing.keyID), SQLValue(standing.environment), SQLValue(standing.generation),
            SQLValue(standing.leastGeneration), SQLValue(standing.revokedAt), SQLValue(standing.changedAt),
            SQLValue(standing.version), SQLValue(record.isTest), SQLValue(record.counter),
            SQLValue(record.firstAttestedAt), SQLValue(record.attestedAt), SQLValue(record.lastAssertedAt),
            SQLValue(record.revokedWhy), SQLValue(record.receipt.digest), SQLValue(record.receipt.isVerified),
            SQLValue(record.receipt.step), SQLValue(record.receipt.reason), SQLValue(record.bundleVersion),
            SQLValue(record.validationCategory), .blob(device.publicKey), SQLValue(device.deadTokensUntil))
    }

    /// Keeps what an attestation has brought besides the key, instead of what the one before had.
    static func keep(
        _ key: AttestedKey, of standing: DeviceStanding, bucket: Bucket, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT OR REPLACE INTO attestation_remains (organisation, app, key_id, bucket, receipt, extensions)
            VALUES (?, ?, ?, ?, ?, ?)
            """, SQLValue(standing.organisation), SQLValue(standing.app), SQLValue(standing.keyID),
            SQLValue(bucket.number), .blob(key.receipt), .blob(try MessageJSON.encode(key.extensions)))
    }

    private static func device(_ row: borrowing Row) throws -> Device {
        let standing = DeviceStanding(
            organisation: try row.id(0), app: try row.id(1), keyID: try row.id(2), environment: try row.id(3),
            generation: try row.int(4), leastGeneration: try row.int(5), revokedAt: try row.timeOrNil(6),
            changedAt: try row.time(7), version: try row.int(8))
        let receipt = DeviceRecord.Receipt(
            digest: try row.textOrNil(15), isVerified: try row.bool(16), step: try row.textOrNil(17),
            reason: try row.textOrNil(18))
        let record = DeviceRecord(
            standing: standing, isTest: try row.bool(9), counter: try row.int64(10),
            firstAttestedAt: try row.time(11), attestedAt: try row.time(12), lastAssertedAt: try row.timeOrNil(13),
            revokedWhy: try row.textOrNil(14), receipt: receipt, bundleVersion: try row.textOrNil(19),
            validationCategory: try row.int64OrNil(20))
        return Device(record: record, publicKey: try row.blob(21), deadTokensUntil: try row.timeOrNil(22))
    }
}
