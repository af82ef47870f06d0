internal import Messages

/// A device as the registry keeps it.
struct Device: Sendable, Equatable {
    var record: DeviceRecord
    /// A point of P-256 as X9.63 has it.
    var publicKey: [UInt8]
    /// Until when there may be tokens of it that are good no more; nil: there are none.
    private(set) var deadTokensUntil: Timestamp?

    /// A key that was attested for the first time.
    init(_ key: AttestedKey, of organisation: OrganisationID, app: AppID, at time: Timestamp) {
        publicKey = key.publicKey
        record = DeviceRecord(
            standing: DeviceStanding(
                organisation: organisation, app: app, keyID: key.keyID, environment: key.environment, changedAt: time),
            isTest: key.isTest, counter: key.counter, firstAttestedAt: time, attestedAt: time,
            receipt: key.receiptVerdict, bundleVersion: key.bundleVersion, validationCategory: key.validationCategory)
    }

    init(record: DeviceRecord, publicKey: [UInt8], deadTokensUntil: Timestamp?) {
        self.record = record
        self.publicKey = publicKey
        self.deadTokensUntil = deadTokensUntil
    }

    /// When the last token that it has by now ends: one is made with every answer, answers are repeated for a while, and
    /// edges make them a little later, by clocks of their own.
    private var lastTokenEndsAt: Timestamp {
        let answeredUntil =
            max(record.attestedAt, record.lastAssertedAt ?? .distantPast) + AttestationSubmit.repeatable
        return answeredUntil + .seconds(60) + DeviceStanding.tokenLifetime
    }

    /// The same key attested again: tokens of before are good no more.
    ///
    /// Devices do so when their token has ended. Edges have to be told only of those that come earlier.
    ///
    /// - Parameter version: the registry's next one.
    /// - Returns: whether there may be a token that was good until now, and so the version is taken.
    mutating func attestAgain(_ key: AttestedKey, at time: Timestamp, version: Int) -> Bool {
        let takesTokens = time < lastTokenEndsAt
        if takesTokens {
            deadTokensUntil = lastTokenEndsAt
            record.standing.version = version
        }
        record.standing.generation = max(record.standing.generation + 1, record.standing.leastGeneration)
        record.standing.leastGeneration = record.standing.generation
        record.standing.environment = key.environment
        record.standing.changedAt = time
        record.isTest = key.isTest
        // Apple has just vouched for it, against a challenge of ours.
        record.counter = key.counter
        record.attestedAt = max(record.attestedAt, time)
        record.receipt = key.receiptVerdict
        record.bundleVersion = key.bundleVersion
        record.validationCategory = key.validationCategory
        return takesTokens
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
        deadTokensUntil = lastTokenEndsAt
        record.standing.leastGeneration = record.standing.generation + 1
        record.standing.revokedAt = time
        record.standing.changedAt = time
        record.standing.version = version
        record.revokedWhy = why
    }
}
