// The steps of attestations, in their order; assertions have some of them. The SDK API names its errors after them.
extension VerificationStep {
    /// Whether it is one map in CBOR, with the members that have to be there.
    public static let cbor = VerificationStep(rawValue: "cbor")
    /// Whether it is of Apple's format for attestations.
    public static let format = VerificationStep(rawValue: "format")
    /// Whether it was made for this challenge.
    public static let nonce = VerificationStep(rawValue: "nonce")
    /// Whether it is of the key that is named.
    public static let keyID = VerificationStep(rawValue: "key_id")
    /// Whether it is of this app.
    public static let appID = VerificationStep(rawValue: "app_id")
    /// Whether the key's counter says what it has to.
    public static let counter = VerificationStep(rawValue: "counter")
    /// Whether the credential that it speaks of is the key.
    public static let credentialID = VerificationStep(rawValue: "credential_id")
    /// Whether the public key in it is the one that is certified, or expected.
    public static let publicKey = VerificationStep(rawValue: "public_key")
    /// Whether it is recent enough, and has not run out.
    public static let age = VerificationStep(rawValue: "age")
}
