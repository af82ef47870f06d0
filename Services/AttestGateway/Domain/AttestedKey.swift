internal import Crypto
internal import JSON
internal import Messages
internal import StoreArtifacts

/// A key that was attested, and what is kept of its attestation.
struct AttestedKey: Sendable {
    let keyID: DeviceKeyID
    /// A point of P-256 as X9.63 has it.
    let publicKey: [UInt8]
    let environment: AttestEnvironment
    let isTest: Bool
    let counter: Int64
    /// As it came; empty where there was none.
    let receipt: [UInt8]
    let receiptVerdict: DeviceRecord.Receipt
    let bundleVersion: String?
    let validationCategory: Int64?
    /// All that the device and Apple say besides, by name: `device` from behind the key, `certificate` by identifier.
    let extensions: [String: JSONValue]

    init(_ verified: VerifiedAttestation, isTest: Bool) {
        let attestation = verified.attestation
        keyID = DeviceKeyID(digest: attestation.keyID)
        publicKey = attestation.publicKey
        environment = AttestEnvironment(rawValue: attestation.environment.rawValue)
        self.isTest = isTest
        counter = Int64(attestation.counter)
        receipt = attestation.receipt
        let digest = receipt.isEmpty ? nil : Digest.sha256(receipt).hexadecimal
        receiptVerdict =
            switch verified.receipt {
            case .verified: DeviceRecord.Receipt(digest: digest, isVerified: true)
            case .refused(let step, let reason, _):
                DeviceRecord.Receipt(
                    digest: digest, isVerified: false, step: step.rawValue, reason: reason.rawValue)
            case .retryable(let reason):
                DeviceRecord.Receipt(digest: digest, isVerified: false, reason: reason.rawValue)
            }
        bundleVersion = attestation.bundleVersion
        validationCategory = attestation.validationCategory.map { Int64($0) }
        var extensions = ["certificate": JSONValue.object(attestation.certificateExtensions)]
        extensions["device"] = attestation.extensions.map(JSONValue.object)
        self.extensions = extensions
    }
}
