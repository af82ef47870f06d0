internal import Crypto
package import FoundationEssentials
package import Messages
package import StoreArtifacts

/// Tells whether something is signed for one app, under the roots and keys that this app believes: Apple's, or its own
/// test roots and no others; for purchases its own keys.
package struct AppExaminer: Sendable {
    /// All that a verdict depends on besides the bytes and the rules.
    package struct Basis: Hashable, Sendable {
        let testRoots: [String]
        let purchaseKeys: [String]
        let teamID: TeamID?
        let appleID: Int64?

        package init(_ record: AppRecord) {
            testRoots = record.testRoots
            purchaseKeys = record.purchaseKeys ?? []
            teamID = record.teamID
            appleID = record.appleID
        }
    }

    package let record: AppRecord
    package var basis: Basis { Basis(record) }
    private let examiner: ArtifactExaminer
    private let expectations: Expectations

    /// - Throws: `CryptoError` when a root is no certificate.
    package init(_ record: AppRecord) throws {
        self.record = record
        var expectations = Expectations()
        expectations.bundleID = record.app.rawValue
        expectations.appAppleID = record.appleID
        expectations.appID = record.teamID.map { "\($0).\(record.app)" }
        // A key that cannot be read believes nobody.
        expectations.publicKeys = (record.purchaseKeys ?? []).map { Base64.standard.decode($0.utf8) ?? [] }
        self.expectations = expectations
        guard record.isTest else {
            examiner = ArtifactExaminer(trust: try .apple())
            return
        }
        // Never fewer roots than were set: without any, Xcode's rule would believe everybody.
        let roots = try record.testRoots.map { try Certificate(der: Base64.standard.decode($0.utf8) ?? []) }
        examiner = ArtifactExaminer(trust: try ArtifactTrust(roots: roots, xcode: .only(roots)))
    }

    /// Examines a text as what it is said to be; `auto`: as what it looks like.
    ///
    /// - Parameter receivedAt: for which a proof by App Attest has to be good: its certificates live for days.
    /// - Throws: when the check could not be made; no text brings that about.
    package func examine(
        _ text: String, as kind: Artifact.Kind, at now: Date, receivedAt: Date, cache: ChainCache
    ) throws -> Examination {
        let bytes = Array(text.utf8)
        guard kind == .auto else {
            return try examine(
                bytes, as: ArtifactKind(rawValue: kind.rawValue), at: now, receivedAt: receivedAt, cache: cache)
        }
        let examination = try examine(bytes, as: nil, at: now, receivedAt: receivedAt, cache: cache)
        guard ArtifactKind.appAttest.contains(examination.kind) else { return examination }
        return try examine(bytes, as: examination.kind, at: now, receivedAt: receivedAt, cache: cache)
    }

    private func examine(
        _ bytes: [UInt8], as kind: ArtifactKind?, at now: Date, receivedAt: Date, cache: ChainCache
    ) throws -> Examination {
        var expectations = expectations
        if let kind, ArtifactKind.appAttest.contains(kind) { expectations.certificateDate = receivedAt }
        return try examiner.examine(bytes, as: kind, expecting: expectations, at: now, cache: cache)
    }
}

extension ArtifactKind {
    /// Proofs by App Attest, which are good for a time and name an app by its team.
    static let appAttest = [attestation, assertion, attestationReceipt]
}
