public import Crypto

/// Whose signatures count, for each kind of artifact.
public struct ArtifactTrust: Sendable {
    /// Whether something that Xcode signed counts.
    public enum Xcode: Sendable {
        /// It does not.
        case refused
        /// What these certificates signed, as exported from Xcode.
        case only([Certificate])
        /// Whatever looks like it: everybody can make that.
        case anybody
    }

    /// Of transactions and all else that is a JWS.
    let signedTexts: TrustRoots
    /// Of App Store receipts.
    let receipts: TrustRoots
    /// Of attestations; who signs the receipts in them is another.
    let attestations: TrustRoots
    /// Of App Attest receipts.
    let attestationReceipts: TrustRoots
    /// Of what Xcode signed, if that counts.
    let storeKitTesting: TrustRoots?
    /// Whether the certificate above a receipt's signer has to have Apple's marker also below roots of one's own. Below
    /// Apple's it always has to.
    public var demandsIntermediateMarker = true

    /// Apple's roots, which come with this module.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot read them.
    public static func apple(xcode: Xcode = .refused) throws(CryptoError) -> ArtifactTrust {
        let thirdGeneration = try TrustRoots.apple()
        return ArtifactTrust(
            signedTexts: thirdGeneration, receipts: try .appleReceipts(), attestations: try .appleAppAttestation(),
            attestationReceipts: thirdGeneration, xcode: xcode)
    }

    /// Roots of one's own choice instead of Apple's: each vouches for every kind.
    ///
    /// What is signed below them is marked as a test, unless all of them are roots of Apple's.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot read Apple's own.
    public init(roots: [Certificate], xcode: Xcode = .refused) throws(CryptoError) {
        let apple = try ArtifactTrust.apple()
        let pinned = [apple.signedTexts, apple.receipts, apple.attestations].flatMap(\.certificates)
        let areTest = !roots.allSatisfy { root in pinned.contains { $0.der == root.der } }
        let chosen = TrustRoots(roots, areTest: areTest)
        self.init(
            signedTexts: chosen, receipts: chosen, attestations: chosen, attestationReceipts: chosen, xcode: xcode)
    }

    private init(
        signedTexts: TrustRoots, receipts: TrustRoots, attestations: TrustRoots, attestationReceipts: TrustRoots,
        xcode: Xcode
    ) {
        self.signedTexts = signedTexts
        self.receipts = receipts
        self.attestations = attestations
        self.attestationReceipts = attestationReceipts
        storeKitTesting =
            switch xcode {
            case .refused: nil
            // No certificates would mean anybody's.
            case .only(let certificates): certificates.isEmpty ? nil : .storeKitTesting(certificates)
            case .anybody: .storeKitTesting([])
            }
    }

    /// The roots for what this self-signed certificate has signed, if it counts.
    func storeKitTesting(by signer: Certificate) -> TrustRoots? {
        guard let roots = storeKitTesting else { return nil }
        let counts = roots.certificates.isEmpty || roots.certificates.contains { $0.der == signer.der }
        return counts ? roots : nil
    }
}
