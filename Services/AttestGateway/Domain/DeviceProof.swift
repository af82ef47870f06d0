internal import JSON
package import Messages

/// The body of `POST /api/sdk/v1/attest` or `…/attest/assert`, checked for its form; what is in it, the registry looks at.
/// Members that it does not know are passed over.
package struct DeviceProof: Sendable, Equatable {
    /// By what a device proves itself: the name of the member.
    package enum Kind: String, Sendable {
        case attestation, assertion

        fileprivate var longest: Int {
            switch self {
            case .attestation: AttestationSubmit.longestAttestation
            case .assertion: AssertionSubmit.longestAssertion
            }
        }
    }

    package let app: AppID
    /// As it was sent.
    package let keyID: DeviceKeyID
    /// Base64, as it was sent.
    package let object: String
    /// As it was sent back.
    package let challenge: String

    /// - Throws: `JSONError` or `HTTPError`, a 400 that names the field.
    package init(_ bytes: [UInt8], as kind: Kind) throws {
        let body = try JSONObject(bytes, limits: .sdkBody)
        keyID = DeviceKeyID(rawValue: try FieldRules.identifier("keyId", in: body))
        object = try FieldRules.required(kind.rawValue, in: body, within: kind.longest)
        challenge = try FieldRules.identifier("challenge", in: body)
        app = AppID(rawValue: try FieldRules.identifier("bundleId", in: body))
    }

    /// What the registry is asked about an attestation.
    func attestation(of app: AppRecord, challengeExpiresAt: Timestamp) -> AttestationSubmit {
        AttestationSubmit(
            organisation: app.organisation, app: app.app, keyID: keyID, attestation: object, challenge: challenge,
            challengeExpiresAt: challengeExpiresAt)
    }

    /// What the registry is asked about an assertion.
    func assertion(of app: AppRecord, challengeExpiresAt: Timestamp) -> AssertionSubmit {
        AssertionSubmit(
            organisation: app.organisation, app: app.app, keyID: keyID, assertion: object, challenge: challenge,
            challengeExpiresAt: challengeExpiresAt)
    }
}
