internal import Crypto

/// What a signer's certificates have to be like, beside leading to a trusted root.
struct ChainPolicy: Hashable, Sendable {
    /// How many they are, from the signer's to the root: over one other, as a rule. Two at least.
    var length = 3
    /// The extension that the signer's has to have.
    let leafMarker: String?
    /// The extension that the one above it has to have.
    let intermediateMarker: String?
    /// What kinds of keys the signer may have.
    let keys: Set<PublicKey.Algorithm>
    /// As of OpenSSL: 2 asks for 112 bits, 0 takes SHA-1, too.
    let securityLevel: Int32

    /// StoreKit 2 and App Store Server Notifications.
    static let signedPayload = ChainPolicy(
        leafMarker: AppleMarker.receiptSigning, intermediateMarker: AppleMarker.developerRelations, keys: [.p256],
        securityLevel: 2)

    /// App Store receipts. Those of before 2023 have certificates signed over SHA-1.
    ///
    /// - Parameter demandsIntermediateMarker: `false` only below roots of one's own.
    static func receipt(demandsIntermediateMarker: Bool) -> ChainPolicy {
        ChainPolicy(
            leafMarker: AppleMarker.receiptSigning,
            intermediateMarker: demandsIntermediateMarker ? AppleMarker.developerRelations : nil,
            keys: [.rsa, .p256, .p384], securityLevel: 0)
    }
}
