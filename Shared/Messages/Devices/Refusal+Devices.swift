// Why a device gets no token. Edge and registry say the same; clients read it.
extension Refusal {
    /// Said by edges alone: the HMAC is not ours.
    public static let challengeUnknown = Refusal(
        "challenge_unknown", "This is not a challenge of this installation; ask for another one")
    /// Older than five minutes.
    public static let challengeExpired = Refusal("challenge_expired", "The challenge has expired; ask for another one")
    /// Spent, by something else than this very request.
    public static let challengeUsed = Refusal(
        "challenge_used", "The challenge has been used already; ask for another one")

    /// Without it nobody can say what App Attest calls the app.
    public static let teamMissing = Refusal(
        "team_id_missing", "The app's team at Apple has not been told: tollgate apps set --team-id")

    /// Of an attestation, and of an assertion.
    public static let cborMalformed = Refusal(
        "cbor_malformed", "Not the one CBOR map in Base64 that App Attest makes")
    /// Of an attestation.
    public static let formatUnsupported = Refusal("format_unsupported", "Not in the format apple-appattest")
    /// Of an attestation.
    public static let chainInvalid = Refusal(
        "chain_invalid", "The certificates do not lead to a root that this app believes, or are not valid now")
    /// Of an attestation.
    public static let nonceMismatch = Refusal("nonce_mismatch", "Made for another challenge")
    /// Of an attestation.
    public static let keyIDMismatch = Refusal("key_id_mismatch", "Made by another key than keyId names")
    /// Of an attestation, and of an assertion.
    public static let appIDMismatch = Refusal("app_id_mismatch", "Made by another app, or of another team")
    /// Of an attestation.
    public static let counterNotZero = Refusal("counter_not_zero", "The key has been used before")
    /// Of an attestation.
    public static let environmentMismatch = Refusal(
        "environment_mismatch", "From an environment of App Attest that this app does not accept")
    /// Of an attestation.
    public static let credentialIDMismatch = Refusal("credential_id_mismatch", "It speaks of another credential")
    /// Of an attestation.
    public static let publicKeyMalformed = Refusal(
        "public_key_malformed", "The public key in it is not the one that is certified")
    /// Of an attestation: an operator has ended the device for good.
    public static let deviceRevoked = Refusal("device_revoked", "This device has been revoked")

    /// Of an assertion: never enrolled.
    public static let deviceUnknown = Refusal("device_unknown", "This device has not been enrolled")
    /// Of an assertion: an operator has ended the device for good.
    public static let tokenRevoked = Refusal("token_revoked", "This device has been revoked")
    /// Of an assertion.
    public static let signatureInvalid = Refusal(
        "signature_invalid", "Not signed by the device's key, or made for another challenge")
    /// Of an assertion.
    public static let counterNotGreater = Refusal(
        "counter_not_greater", "An assertion that was made later has been seen already")

    /// Of attestations, in the order of the steps.
    public static let attestation = [
        cborMalformed, formatUnsupported, chainInvalid, nonceMismatch, keyIDMismatch, appIDMismatch, counterNotZero,
        environmentMismatch, credentialIDMismatch, publicKeyMalformed,
    ]
    /// Of assertions, in the order of the steps.
    public static let assertion = [
        cborMalformed, signatureInvalid, appIDMismatch, counterNotGreater, environmentMismatch,
    ]
}
