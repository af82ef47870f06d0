internal import Messages

/// A device as the registry keeps it.
struct Device: Sendable, Equatable {
    var record: DeviceRecord
    /// A point of P-256 as X9.63 has it.
    var publicKey: [UInt8]

    /// A key that was attested for the first time.
    init(_ key: AttestedKey, of organisation: OrganisationID, app: AppID, at time: Timestamp) {
        publicKey = key.publicKey
        record = DeviceRecord(
            standing: DeviceStanding(
                organisation: organisation, app: app, keyID: key.keyID, environment: key.environment, changedAt: time),
            isTest: key.isTest, counter: key.counter, firstAttestedAt: time, attestedAt: time,
            receipt: key.receiptVerdict, bundleVersion: key.bundleVersion, validationCategory: key.validationCategory)
    }

    init(record: DeviceRecord, publicKey: [UInt8]) {
        self.record = record
        self.publicKey = publicKey
    }

    /// The same key attested again: tokens of before are good no more.
    ///
    /// - Parameter version: the registry's next one.
    mutating func attestAgain(_ key: AttestedKey, at time: Timestamp, version: Int) {
        record.standing.generation = max(record.standing.generation + 1, record.standing.leastGeneration)
        record.standing.leastGeneration = record.standing.generation
        record.standing.environment = key.environment
        record.standing.changedAt = time
        record.standing.version = version
        record.isTest = key.isTest
        // Apple has just vouched for it, against a challenge of ours.
        record.counter = key.counter
        record.attestedAt = time
        record.receipt = key.receiptVerdict
        record.bundleVersion = key.bundleVersion
        record.validationCategory = key.validationCategory
    }

    /// It has shown that it still has its key.
    mutating func assert(counter: Int64, at time: Timestamp) {
        record.counter = counter
        record.lastAssertedAt = max(record.lastAssertedAt ?? time, time)
    }

    /// Ends it for good.
    ///
    /// - Parameter version: the registry's next one.
    mutating func revoke(why: String?, at time: Timestamp, version: Int) {
        record.standing.leastGeneration = record.standing.generation + 1
        record.standing.revokedAt = time
        record.standing.changedAt = time
        record.standing.version = version
        record.revokedWhy = why
    }
}
