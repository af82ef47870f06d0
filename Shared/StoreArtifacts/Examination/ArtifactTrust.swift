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
    /// Of what Xcode signed, if that counts.
    let storeKitTesting: TrustRoots?

    /// Apple's roots, which come with this module.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot read them.
    public static func apple(xcode: Xcode = .refused) throws(CryptoError) -> ArtifactTrust {
        ArtifactTrust(signedTexts: try .apple(), xcode: xcode)
    }

    /// Roots of one's own choice instead of Apple's: each vouches for every kind.
    ///
    /// What is signed below them is marked as a test, unless all of them are roots of Apple's.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot read Apple's own.
    public init(roots: [Certificate], xcode: Xcode = .refused) throws(CryptoError) {
        let pinned = try TrustRoots.apple().certificates
        let areTest = !roots.allSatisfy { root in pinned.contains { $0.der == root.der } }
        self.init(signedTexts: TrustRoots(roots, areTest: areTest), xcode: xcode)
    }

    private init(signedTexts: TrustRoots, xcode: Xcode) {
        self.signedTexts = signedTexts
        storeKitTesting =
            switch xcode {
            case .refused: nil
            // No certificates would mean anybody's.
            case .only(let certificates): certificates.isEmpty ? nil : .storeKitTesting(certificates)
            case .anybody: .storeKitTesting([])
            }
    }
}
